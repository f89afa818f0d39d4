# SPDX-License-Identifier: Apache-2.0
"""The command line on arrays: NPY, raw numbers and text."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from cli_program import (
    CORRUPT,
    DTYPES,
    FAILURE,
    MADE,
    ON_WINE,
    USAGE,
    any_bits,
    refused,
    run,
)


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    path = tmp_path / "prices.npy"
    rng = np.random.default_rng(7)
    np.save(path, np.round(1000 + rng.normal(size=30_000).cumsum(), 2))
    return path


def test_version_and_help() -> None:
    assert run("--version").text.startswith("numpact ")
    for command in ["", "compress", "decompress", "inspect", "explain", "verify", "bench", "cpu"]:
        arguments = [command, "--help"] if command else ["--help"]
        assert "Usage: numpact" in run(*arguments).text
    assert "Examples:" in run("--help").text


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("count", [0, 1, 2000])
def test_npy_round_trip_is_exact(tmp_path: Path, name: str, count: int) -> None:
    source = tmp_path / "in.npy"
    np.save(source, any_bits(name, 2000)[:count])
    run("compress", source)
    run("decompress", tmp_path / "in.npy.pco", "-o", tmp_path / "out.npy")
    assert (tmp_path / "out.npy").read_bytes() == source.read_bytes()
    piped = run("decompress", "-", "--to", "npy", stdin=(tmp_path / "in.npy.pco").read_bytes())
    assert piped.out == source.read_bytes()


@pytest.mark.parametrize("name", DTYPES)
def test_raw_round_trip_through_pipes(name: str) -> None:
    raw = any_bits(name, 3000).tobytes()
    packed = run("compress", "-", "--dtype", name, stdin=raw)
    assert packed.err == ""
    assert run("decompress", "-", "--to", "raw", stdin=packed.out).out == raw


@pytest.mark.parametrize("name", DTYPES)
def test_text_reads_back(tmp_path: Path, name: str) -> None:
    numbers = any_bits(name, 2000)
    np.save(tmp_path / "in.npy", numbers)
    run("compress", tmp_path / "in.npy")
    lines = run("decompress", tmp_path / "in.npy.pco").text.splitlines()
    read = [float(line) for line in lines] if name[0] == "f" else [int(line) for line in lines]
    np.testing.assert_array_equal(np.array(read, numbers.dtype), numbers)


def test_text_is_the_shortest(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([0.1, 1.0, -0.0, 1e300, 5e-324, np.inf]))
    run("compress", tmp_path / "a.npy")
    lines = run("decompress", tmp_path / "a.npy.pco").text.splitlines()
    assert lines == ["0.1", "1", "-0", "1e+300", "5e-324", "inf"]


def test_summary_and_quiet(prices: Path) -> None:
    assert "30,000 f64 numbers, 240,000 -> " in run("compress", prices).err
    assert run("compress", prices, "-f", "-q").err == ""


def test_many_chunks(prices: Path, tmp_path: Path) -> None:
    run("compress", prices, "-o", tmp_path / "p.pco", "--page-size", 7000)
    info = json.loads(run("inspect", tmp_path / "p.pco", "--json").text)
    assert [chunk["count"] for chunk in info["chunks"]] == [6000] * 5
    assert info["count"] == info["n_hint"] == 30_000
    assert info["number_type"] == info["uniform_type"] == "f64"
    assert info["file_bytes"] + info["trailing_bytes"] == (tmp_path / "p.pco").stat().st_size


def test_equal_to_a_pipe_of_unknown_length(prices: Path, tmp_path: Path) -> None:
    raw = np.load(prices).tobytes()
    packed = run("compress", "-", "--dtype", "float64", "--page-size", 7000, stdin=raw)
    (tmp_path / "p.pco").write_bytes(packed.out)
    info = json.loads(run("inspect", tmp_path / "p.pco", "--json").text)
    assert [chunk["count"] for chunk in info["chunks"]] == [7000] * 4 + [2000]


@pytest.mark.parametrize("level", [0, 1, 8, 12])
def test_levels(prices: Path, level: int) -> None:
    packed = run("compress", prices, "-o", "-", "--level", level).out
    assert run("decompress", "-", "--to", "npy", stdin=packed).out == prices.read_bytes()


INT_SPECS = [("int-mult=100", "none"), ("classic", "consecutive=2"), ("auto", "lookback"),
             ("dict", "auto"), ("auto", "conv1=3")]
FLOAT_SPECS = [("float-mult=0.01", "consecutive=1"), ("float-quant=8", "none"), ("auto", "auto"),
               ("dict", "lookback"), ("classic", "conv1=1")]


@pytest.mark.parametrize(("name", "mode", "delta"), [("i32", *spec) for spec in INT_SPECS]
                         + [("f32", *spec) for spec in FLOAT_SPECS])
def test_modes_and_deltas(tmp_path: Path, name: str, mode: str, delta: str) -> None:
    numbers = (np.random.default_rng(3).integers(0, 50, 5000).cumsum() * 100).astype(DTYPES[name])
    np.save(tmp_path / "a.npy", numbers)
    run("compress", tmp_path / "a.npy", "--mode", mode, "--delta", delta)
    packed = (tmp_path / "a.npy.pco").read_bytes()
    assert run("decompress", "-", "--to", "npy", stdin=packed).out == \
        (tmp_path / "a.npy").read_bytes()


@pytest.mark.parametrize(("name", "mode", "delta"), [
    ("f64", "int-mult=10", "auto"), ("i64", "float-mult=0.1", "auto"),
    ("i64", "float-quant=3", "auto"), ("f64", "auto", "conv1=2"), ("f32", "float-quant=24", "none"),
    ("u8", "int-mult=256", "auto"), ("f64", "float-mult=0", "auto"), ("i32", "auto", "conv1=33"),
    ("i32", "auto", "consecutive=8"),
])
def test_specs_that_do_not_apply(tmp_path: Path, name: str, mode: str, delta: str) -> None:
    for count in [0, 10]:
        np.save(tmp_path / "a.npy", np.zeros(count, DTYPES[name]))
        line = refused("compress", tmp_path / "a.npy", "--mode", mode, "--delta", delta, code=USAGE)
        assert line.startswith(f"{tmp_path / 'a.npy'}: invalid argument: ")
        assert [path.name for path in tmp_path.iterdir()] == ["a.npy"]


def test_shapes(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    numbers = np.arange(12, dtype=np.int16).reshape(3, 4)
    np.save(path, numbers)
    assert "an array of 3 x 4, not one-dimensional" in refused("compress", path, code=FAILURE)
    assert "the shape is not kept" in run("compress", path, "--flatten").err
    packed = (tmp_path / "a.npy.pco").read_bytes()
    flat = np.frombuffer(run("decompress", "-", "--to", "raw", stdin=packed).out, np.int16)
    np.testing.assert_array_equal(flat, numbers.ravel())
    np.save(path, np.asfortranarray(numbers))
    assert "Fortran" in refused("compress", path, "--flatten", code=FAILURE)
    np.save(path, np.float32(3))
    assert "a single number" in refused("compress", path, code=FAILURE)


def test_byte_order(tmp_path: Path) -> None:
    numbers = any_bits("f32", 500)
    np.save(tmp_path / "a.npy", numbers.astype(">f4"))
    assert "big-endian" in run("compress", tmp_path / "a.npy").err
    packed = (tmp_path / "a.npy.pco").read_bytes()
    back = np.frombuffer(run("decompress", "-", "--to", "raw", stdin=packed).out, np.float32)
    assert back[:160].tobytes() == numbers[:160].tobytes()


def test_other_numpy_types(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.array([True, False, True]))
    run("compress", path)
    assert run("decompress", f"{path}.pco").text == "1\n0\n1\n"
    np.save(path, np.array(["2020-01-02"], "datetime64[D]"))
    assert "the unit is not kept" in run("compress", path, "-f").err
    assert run("decompress", f"{path}.pco").text == "18263\n"
    for unfit in [np.zeros(3, np.complex64), np.array(["a"]), np.zeros(2, [("a", "i4")])]:
        np.save(path, unfit)
        assert "cannot be compressed" in refused("compress", path, "-f", code=FAILURE)


def test_dtype_converts_exactly(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.array([0.0, 1.0, 255.0]))
    run("compress", path, "--dtype", "u8")
    run("decompress", f"{path}.pco", "-o", tmp_path / "b.npy")
    assert np.load(tmp_path / "b.npy").dtype == np.uint8
    np.save(path, np.array([0.0, 0.5]))
    line = refused("compress", path, "--dtype", "u8", "-f", code=FAILURE)
    assert line == f"{path}: 0.5 (number 1) does not fit u8"
    for value, name in [(-1, "u8"), (256, "u8"), (2.0**53 + 2, "f32"), (1e9, "f16"), (-0.0, "i8")]:
        np.save(path, np.array([value]))
        refused("compress", path, "--dtype", name, "-f", code=FAILURE)
    np.save(path, np.array([np.nan, np.inf, 0.5, -0.0, 65504]))
    run("compress", path, "--dtype", "f16", "-f")


def test_append(tmp_path: Path) -> None:
    first, second = any_bits("i32", 1000, 1), any_bits("i32", 500, 2)
    np.save(tmp_path / "a.npy", first)
    (tmp_path / "b.raw").write_bytes(second.tobytes())
    target = tmp_path / "a.npy.pco"
    run("compress", tmp_path / "a.npy")
    run("compress", tmp_path / "b.raw", "--dtype", "i32", "--append", "-o", target)
    raw = run("decompress", target, "--to", "raw").out
    assert raw == first.tobytes() + second.tobytes()
    whole = target.read_bytes()
    line = refused("compress", tmp_path / "b.raw", "--dtype", "u32", "--append", "-o", target,
                   code=FAILURE)
    assert line == f"{target}: holds i32 numbers, not u32"
    refused("compress", tmp_path / "a.npy", "--append", "-o", tmp_path / "none.pco", code=FAILURE)
    target.write_bytes(whole[:-300])
    refused("compress", tmp_path / "a.npy", "--append", "-o", target, code=CORRUPT)
    assert target.read_bytes() == whole[:-300]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npy", "a.npy.pco", "b.raw"]


def test_verify(prices: Path, tmp_path: Path) -> None:
    run("compress", prices, "-o", tmp_path / "p.pco", "--page-size", 10_000)
    whole = (tmp_path / "p.pco").read_bytes()
    assert run("verify", tmp_path / "p.pco").text == \
        f"{tmp_path / 'p.pco'}: OK, 30,000 f64 numbers, {len(whole) - 176:,} bytes and a " \
        "trailer of 176; checksums match\n"
    (tmp_path / "long.pco").write_bytes(whole + b"tail")
    assert "bytes follow that are not a trailer" in refused("verify", tmp_path / "long.pco",
                                                         code=CORRUPT)
    info = json.loads(run("inspect", tmp_path / "p.pco", "--json").text)
    end = info["chunks"][2]["offset"]
    (tmp_path / "cut.pco").write_bytes(whole[: end + 100])
    ran = run("verify", tmp_path / "cut.pco", tmp_path / "p.pco", code=CORRUPT)
    assert f"chunk 2); good before: 2 chunks, 20000 numbers, {end} bytes" in ran.err
    assert ran.text.startswith(f"{tmp_path / 'p.pco'}: OK")


def test_inspect(prices: Path) -> None:
    run("compress", prices)
    report = run("inspect", f"{prices}.pco", "--bins").text
    for words in ["Pco 4.1", "30,000", "chunk 0", "offset bits", "bins of primary"]:
        assert words in report
    info = json.loads(run("inspect", "-", "--json", "--bins",
                          stdin=Path(f"{prices}.pco").read_bytes()).text)
    variable = info["chunks"][0]["variables"][0]
    assert sum(bin["weight"] for bin in variable["bin_list"]) == 2 ** variable["ans_size_log"]


@pytest.mark.parametrize("path", sorted(MADE.glob("*.pco")), ids=lambda p: p.stem)
def test_made_files(path: Path, tmp_path: Path) -> None:
    run("verify", path, code=CORRUPT if path.stem == "bytes_after_terminator" else 0)
    info = json.loads(run("inspect", path, "--json").text)
    assert (info["trailing_bytes"] > 0) == (path.stem == "bytes_after_terminator")
    run("decompress", path, "-o", tmp_path / "a.npy")
    expected = np.load(path.with_suffix(".npy"))
    got = np.load(tmp_path / "a.npy")
    assert got.dtype == expected.dtype and got.tobytes() == expected.tobytes()


def test_bench(prices: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "vectors.npy", np.zeros((20, 30), np.float16))
    ran = run("bench", prices, tmp_path / "vectors.npy", "--rounds", 1)
    lines = ran.text.splitlines()
    assert max(map(len, lines)) <= 140
    assert lines[2].split()[:3] == ["prices", "f64", "30,000"]
    assert lines[3].split()[:3] == ["vectors", "f16", "600"]
    assert lines[5].startswith("total of 2")
    assert lines[6].startswith("at level 4")  # of numpact alone: ratio and two speeds
    assert len(lines[6].split()) == 6
    report = json.loads(run("bench", prices, "--rounds", 1, "--json", "--level", 2).text)
    assert report["level"] == 2
    column = report["columns"][0]
    assert not any(key.startswith("numpact_level") for key in column)  # none that is faster
    assert column["exact"] and column["raw_bytes"] == 240_000
    assert column["numpact"]["ratio"] == pytest.approx(240_000 / column["numpact"]["bytes"])
    for peer in () if ON_WINE else ("zstd_3", "lz4"):  # not linked there
        assert column[peer]["ratio"] == pytest.approx(240_000 / column[peer]["bytes"])
        assert column[peer]["compress_mb_s"] > 0 and column[peer]["decompress_mb_s"] > 0
        assert report["total"][peer]["bytes"] == column[peer]["bytes"]
    assert column["memcpy"]["decompress_mb_s"] > 0 and "ratio" not in column["memcpy"]


def test_bench_shows_what_a_level_costs(prices: Path) -> None:
    report = json.loads(run("bench", prices, "--rounds", 1, "--json").text)
    column = report["columns"][0]
    run("compress", prices, "--level", 4, "--no-trailer", "-q", "-o", f"{prices}.4.pco")
    beside = column["numpact_level_4"]
    assert beside["bytes"] == Path(f"{prices}.4.pco").stat().st_size
    assert beside["compress_mb_s"] > 0 and beside["decompress_mb_s"] > 0
    assert report["total"]["numpact_level_4"]["bytes"] == beside["bytes"]
    slow = run("bench", prices, "--rounds", 1, "--level", 12).text.splitlines()
    assert slow[5].startswith("at level 8")
    assert re.fullmatch(r"level 12 takes \d+\.\d times as long to compress as level 8 here, for "
                        r"\d+\.\d\d % (fewer|more) bytes", slow[-1])
    assert "at a tenth of the speed of 8" in " ".join(run("compress", "--help").text.split())


def cpu_info(target: str | None) -> tuple[dict, str]:
    env = {} if target is None else {"NUMPACT_TARGET": target}
    ran = run("cpu", "--json", env=env)
    return json.loads(ran.text), ran.err


def test_cpu(prices: Path) -> None:
    info, _ = cpu_info(None)
    names = [target["name"] for target in info["targets"]]
    supported = [target["name"] for target in info["targets"] if target["supported"]]
    assert names[-1] == supported[-1]
    assert names[-1] in ("scalar", "sse2")  # newer Highway has no scalar code for x86-64
    assert info["active"] == supported[0] and info["requested"] is None
    run("compress", prices)
    for name in names:
        info, warning = cpu_info(name)
        assert info["requested"] == name
        assert info["active"] == (name if name in supported else supported[0])
        assert [target["active"] for target in info["targets"]] == \
            [other == info["active"] for other in names]
        assert ("lacks" in warning) == (name not in supported)
        again = run("decompress", f"{prices}.pco", "--to", "npy", env={"NUMPACT_TARGET": name})
        assert again.out == prices.read_bytes()
    marked = [line for line in run("cpu", env={"NUMPACT_TARGET": names[-1]}).text.splitlines()
              if line.endswith("*")]
    assert len(marked) == 1 and marked[0].startswith(f"{names[-1]} ")


@pytest.mark.parametrize("name", ["mmx", "x" * 500, "AVX2", "a\nb"])
def test_cpu_of_unknown_names(name: str) -> None:
    info, warning = cpu_info(name)
    assert info["active"] == cpu_info("auto")[0]["active"]
    assert warning.count("\n") == 1 and "NUMPACT_TARGET" in warning
    assert cpu_info("auto")[1] == cpu_info("")[1] == ""
