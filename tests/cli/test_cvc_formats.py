# SPDX-License-Identifier: Apache-2.0
"""`numpact cvc pack` and `unpack`: every format, both ways."""

from __future__ import annotations

import io
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest
from cli_program import CORRUPT, FAILURE, LIMIT, USAGE, leftovers, run
from cvc_support import (
    cvc,
    cvc_refused,
    info,
    payloads,
    read_safetensors,
    safetensors,
    unpacked,
    vecs,
    vectors,
)

import decompressed

ROWS, DIMENSION = 700, 12


@pytest.fixture
def plain() -> np.ndarray:
    return vectors(ROWS, DIMENSION)


def npy(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def pack_to(tmp_path: Path, name: str, content: bytes, *arguments: object) -> Path:
    source, target = tmp_path / name, tmp_path / (name + ".cvc")
    source.write_bytes(content)
    cvc("pack", source, "-f", "-q", "-o", target, *arguments)
    return target


@pytest.mark.parametrize("compression", ["fp16", "int8", "lossless"])
@pytest.mark.parametrize("version", ["0.1", "1.0"])
def test_same_file_as_the_package(tmp_path: Path, plain: np.ndarray, compression: str,
                                  version: str) -> None:
    if version == "0.1" and compression == "lossless":
        return
    made = pack_to(tmp_path, "x.npy", npy(plain), "--compression", compression, "--version",
                   version, "--chunk-rows", 150)
    assert info(made)["version"] == version
    got = decompressed.load_cvc(str(made))
    assert np.array_equal(got, unpacked(made))
    if version == "1.0":
        theirs = tmp_path / "theirs.cvc"
        decompressed.pack_cvc(plain, str(theirs), chunk_size=150, compression=compression)
        assert made.read_bytes() == theirs.read_bytes()


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("kind", ["f2", "f4", "f8"])
def test_npy_of_all_kinds(tmp_path: Path, plain: np.ndarray, order: str, layout: str,
                          kind: str) -> None:
    array = np.array(plain, dtype=order + kind, order=layout)
    made = pack_to(tmp_path, "x.npy", npy(array), "--compression", "lossless")
    assert np.array_equal(unpacked(made), array.astype(np.float32))


@pytest.mark.parametrize("kind", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_integers_stay_exact(tmp_path: Path, kind: str) -> None:
    array = np.frombuffer(np.random.default_rng(2).bytes(8 * 60), "<" + kind).reshape(-1, 4)
    if kind == "u8":
        array = array >> 1
    made = pack_to(tmp_path, "x.npy", npy(array))
    assert info(made)["columns"][0]["compression"] == "none"
    back = unpacked(made)
    assert np.array_equal(back, array) and back.dtype.kind == ("u" if kind == "u1" else "i")


def test_one_dimension(tmp_path: Path) -> None:
    made = pack_to(tmp_path, "x.npy", npy(np.arange(10, dtype=np.float32)))
    assert info(made)["columns"][0]["dimension"] == 1
    assert unpacked(made).shape == (10, 1)


def test_same_npy_again(tmp_path: Path, plain: np.ndarray) -> None:
    made = pack_to(tmp_path, "x.npy", npy(plain), "--compression", "lossless")
    cvc("unpack", made, "-o", tmp_path / "y.npy")
    assert (tmp_path / "y.npy").read_bytes() == npy(plain)


def test_vecs(tmp_path: Path, plain: np.ndarray) -> None:
    content = vecs(plain)
    made = pack_to(tmp_path, "x.fvecs", content, "--compression", "lossless")
    assert np.array_equal(decompressed.load_cvc(str(made)), plain)
    cvc("unpack", made, "-o", tmp_path / "y.fvecs")
    assert (tmp_path / "y.fvecs").read_bytes() == content
    for name, dtype in [("bvecs", np.uint8), ("ivecs", np.int32)]:
        whole = np.arange(60, dtype=dtype).reshape(10, 6)
        made = pack_to(tmp_path, "x." + name, vecs(whole))
        cvc("unpack", made, "-f", "-o", tmp_path / ("y." + name))
        assert (tmp_path / ("y." + name)).read_bytes() == vecs(whole)
    assert "holds uint8, not int32" in cvc_refused("unpack", made, "-o", tmp_path / "z.bvecs",
                                                   code=USAGE)


COUNTED = {"fbin": np.float32, "u8bin": np.uint8, "i8bin": np.int8, "ibin": np.int32}


def counted(array: np.ndarray) -> bytes:
    """An array as .fbin and the like."""
    return struct.pack("<2I", *array.shape) + array.tobytes()


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("shape", [(1, 1), (7, 3), (0, 5), (3000, 40), (2, 70_000)])
def test_counted_rows(tmp_path: Path, name: str, shape: tuple[int, int]) -> None:
    array = np.arange(np.prod(shape)).reshape(shape).astype(COUNTED[name])
    made = pack_to(tmp_path, f"x.{name}", counted(array), "--compression", "none")
    back = unpacked(made)
    assert np.array_equal(back, array) and back.shape == shape
    piped = cvc("pack", "-", "--from", name, "--compression", "none", stdin=counted(array)).out
    assert piped == made.read_bytes()
    error = cvc_refused("unpack", made, "-o", tmp_path / f"y.{name}", code=USAGE)
    assert "its ending names no format that is written" in error
    assert name in cvc_refused("unpack", made, "-o", tmp_path / "y", "--to", name, code=USAGE)


def test_raw_through_pipes(tmp_path: Path, plain: np.ndarray) -> None:
    bits = plain.view(np.uint32)
    upper = (bits >> 16).astype(np.uint16)
    packed = cvc("pack", "-", "--dtype", "bf16", "--dimension", DIMENSION, "--compression",
                 "lossless", stdin=upper.tobytes())
    assert packed.err == ""
    floats = cvc("unpack", "-", "-o", "-", "--to", "raw", stdin=packed.out)
    assert floats.out == (bits & 0xFFFF0000).tobytes()
    halves = cvc("unpack", "-", "-o", "-", "--to", "raw", "--dtype", "bfloat16", stdin=packed.out)
    assert halves.out == upper.tobytes()
    (tmp_path / "x.raw").write_bytes(plain.tobytes())
    assert "--dimension" in cvc_refused("pack", tmp_path / "x.raw", "--dtype", "f32", code=USAGE)


def test_npy_through_pipes(plain: np.ndarray) -> None:
    packed = cvc("pack", "-", stdin=npy(plain))
    out = cvc("unpack", "-", "-o", "-", "--to", "npy", stdin=packed.out).out
    assert np.array_equal(np.load(io.BytesIO(out)), plain.astype(np.float16).astype(np.float32))


def test_safetensors(tmp_path: Path, plain: np.ndarray) -> None:
    ids = np.arange(ROWS)
    upper = (plain.view(np.uint32) >> 16).astype(np.uint16)
    content = safetensors({"z": ("F32", plain), "ids": ("I64", ids), "b": ("BF16", upper),
                           "cube": ("F32", np.zeros((2, 2, 2), np.float32))})
    made = pack_to(tmp_path, "x.safetensors", content, "--compression", "none")
    assert [column["name"] for column in info(made)["columns"]] == ["z", "ids", "b"]
    cvc("unpack", made, "-o", tmp_path / "y.safetensors")
    back = read_safetensors(tmp_path / "y.safetensors")
    assert np.array_equal(back["z"], plain) and np.array_equal(back["ids"], ids)
    assert np.array_equal(back["b"].view(np.uint32), plain.view(np.uint32) & 0xFFFF0000)
    one = pack_to(tmp_path, "x.safetensors", content, "--column", "z")
    assert info(one)["layout"] == "single"
    cvc("unpack", one, "-f", "-o", tmp_path / "y.safetensors", "--dtype", "float16")
    assert np.array_equal(read_safetensors(tmp_path / "y.safetensors")["vectors"],
                          plain.astype(np.float16))
    note = cvc("pack", tmp_path / "x.safetensors", "-o", tmp_path / "n.cvc").err
    assert "tensor 'cube' is left out: shape [2, 2, 2]" in note
    assert "shape [2, 2, 2]" in cvc_refused("pack", tmp_path / "x.safetensors", "--column", "cube",
                                            "-f", code=FAILURE)


def test_safetensors_say_what_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "x.safetensors"
    cube, eights = np.zeros((2, 3, 4), np.float32), np.zeros((5, 2), np.uint8)
    more = {"cube": ("F32", cube), "e": ("F8_E4M3", eights), "scalar": ("F32", cube[0, 0, 0])}
    for metadata, said in (({"__metadata__": {"k": "v" * (1 << 20)}}, " bytes, of which"),
                           ({}, "")):  # fmt: skip
        file.write_bytes(with_header(safetensors({"z": ("F32", vectors(3, 2)), **more}), metadata))
        note = cvc("pack", file, "-f", "-o", tmp_path / "n.cvc").err
        assert said in note and ("x.safetensors: its metadata is left out" in note) == bool(said)
        assert "tensor 'cube' is left out: shape [2, 3, 4] of F32" in note
        assert "'e' is left out: type F8_E4M3 is not a number type of" in note
        assert "vectors (shape [5, 2])" in note
        assert "tensor 'scalar' is left out: shape [] of F32" in note
        assert "left out" not in cvc("pack", file, "-q", "-f", "-o", tmp_path / "n.cvc").err
    for metadata in ({}, {"__metadata__": {}}, {"__metadata__": 5}):
        file.write_bytes(with_header(safetensors(more), metadata))
        error = cvc_refused("pack", file, code=FAILURE)
        assert "no tensor holds vectors: tensor 'cube' is left out: shape [2, 3, 4]" in error
        assert "'scalar'" in error and "'e'" in error and "metadata" not in error
    file.write_bytes(safetensors({f"t{i:02d}": ("F32", cube) for i in range(30)}))
    assert cvc_refused("pack", file, code=FAILURE).rstrip().endswith("; and 22 more")


def test_safetensors_come_back(tmp_path: Path) -> None:
    """Types of floats and metadata; the metadata that is given counts."""
    file, made, back = (tmp_path / name for name in ("x.safetensors", "x.cvc", "y.safetensors"))
    metadata = {"__metadata__": {"model": "m", "new\nline": '"'}}
    tensors = {"z": ("F32", vectors(9, 4)), "h": ("F16", vectors(9, 2).astype(np.float16))}
    file.write_bytes(with_header(safetensors(tensors), metadata))
    assert "left out" not in cvc("pack", file, "-o", made, "--compression", "none").err
    assert info(made)["metadata"] == metadata["__metadata__"]
    cvc("unpack", made, "-o", back)
    found = read_safetensors(back)
    assert header_of(back.read_bytes())["__metadata__"] == metadata["__metadata__"]
    for name, (_, values) in tensors.items():
        assert found[name].dtype == values.dtype and np.array_equal(found[name], values)
    for given in ('{"model": 1}', '{"a": {}}', "[1]", '"m"'):
        note = cvc("pack", file, "-f", "-o", made, "--metadata", given).err
        assert "x.safetensors: its metadata is left out for --metadata" in note
        cvc("unpack", made, "-f", "-o", back)
        assert "__metadata__" not in header_of(back.read_bytes())
    assert "its metadata is left out" in cvc("append", tmp_path / "folder", file).err


def header_of(file: bytes) -> Any:
    return json.loads(file[8 : 8 + int.from_bytes(file[:8], "little")])


def with_header(file: bytes, more: dict[str, Any]) -> bytes:
    """A file of safetensors with more in its header."""
    size = int.from_bytes(file[:8], "little")
    header = json.dumps({**json.loads(file[8 : 8 + size]), **more}).encode()
    return len(header).to_bytes(8, "little") + header + file[8 + size :]


def test_nulls_of_scalar_columns(tmp_path: Path) -> None:
    """The advice is one that this command can follow."""
    rows = pa.array([[1.0, 2.0], [3.0, 4.0]], pa.list_(pa.float32(), 2))
    table = pa.table({"id": pa.array([1, None]), "e": rows})
    pa.parquet.write_table(table, tmp_path / "e.parquet")
    with pa.ipc.new_file(tmp_path / "e.arrow", table.schema) as file:
        file.write_table(table)
    for name in ("e.parquet", "e.arrow"):
        error = cvc_refused("pack", tmp_path / name, code=FAILURE)
        assert "column 'id': 1 null, the first in row 1 (vectors have none: fill them" in error
        assert "--nulls" not in error and "FOLDER" not in error
        cvc("pack", tmp_path / name, "--column", "e", "-f", "-o", tmp_path / "e.cvc")


def test_safetensors_of_other_lengths(tmp_path: Path) -> None:
    content = safetensors({"a": ("F32", vectors(3, 2)), "b": ("F32", vectors(4, 2))})
    (tmp_path / "x.safetensors").write_bytes(content)
    error = cvc_refused("pack", tmp_path / "x.safetensors", code=FAILURE)
    assert "have 3 and 4 rows" in error
    cvc("pack", tmp_path / "x.safetensors", "--column", "b")


def table(plain: np.ndarray) -> pa.Table:
    def lists(values: np.ndarray) -> pa.Array:
        return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])
    return pa.table({
        "text": lists(plain), "half": lists(plain.astype(np.float16)),
        "wide": lists(plain[:, :5].astype(np.float64)), "id": np.arange(ROWS),
        "small": lists((plain[:, :3] * 40).astype(np.int8)),
        "name": ["x"] * ROWS,
    })


def write_table(content: pa.Table, path: Path) -> Path:
    if path.suffix == ".parquet":
        pa.parquet.write_table(content, path, row_group_size=300)
    elif path.suffix == ".arrow":
        with pa.ipc.new_file(path, content.schema) as writer:
            writer.write_table(content, max_chunksize=300)
    else:
        with pa.ipc.new_stream(path, content.schema) as writer:
            writer.write_table(content, max_chunksize=300)
    return path


def read_table(path: Path) -> pa.Table:
    if path.suffix == ".parquet":
        return pa.parquet.read_table(path)
    opened = pa.ipc.open_file(path) if path.suffix == ".arrow" else pa.ipc.open_stream(path)
    return opened.read_all()


@pytest.mark.usefixtures("arrow")
@pytest.mark.parametrize("kind", ["parquet", "arrow", "arrows"])
def test_tables(tmp_path: Path, plain: np.ndarray, kind: str) -> None:
    source = write_table(table(plain), tmp_path / f"t.{kind}")
    ran = cvc("pack", source, "--compression", "none,half=fp16", "--chunk-rows", 256)
    assert "column 'name' is left out" in ran.err
    assert "column 'wide' is stored as float32" in ran.err
    made = tmp_path / f"t.{kind}.cvc"
    assert [(column["name"], column["dimension"], column["compression"])
            for column in info(made)["columns"]] == [
        ("text", DIMENSION, "none"), ("half", DIMENSION, "fp16"), ("wide", 5, "none"),
        ("id", 1, "none"), ("small", 3, "none")]
    for target in [tmp_path / "back.parquet", tmp_path / f"back.{kind}"]:
        cvc("unpack", made, "-f", "-o", target)
        back = read_table(target)
        assert back.schema.field("text").type == pa.list_(pa.float32(), DIMENSION)
        assert back["text"].combine_chunks().flatten().to_numpy().tobytes() == plain.tobytes()
        assert back["id"].to_pylist() == list(range(ROWS))
        assert back.schema.field("small").type == pa.list_(pa.int8(), 3)
        for name in ["small", "half"]:
            expected = table(plain)[name].combine_chunks().flatten().to_numpy()
            assert np.array_equal(back[name].combine_chunks().flatten().to_numpy(), expected)
    one = tmp_path / "one.cvc"
    cvc("pack", source, "--column", "text", "--compression", "lossless", "-o", one)
    assert info(one)["layout"] == "single" and np.array_equal(unpacked(one), plain)
    assert "are not numbers or lists" in cvc_refused("pack", source, "--column", "name", "-f",
                                                    "-o", one, code=FAILURE)


@pytest.mark.usefixtures("arrow")
def test_tables_of_rows_that_are_not_there(tmp_path: Path) -> None:
    values = pa.array([[1.0, 2.0], None, [3.0, 4.0]], pa.list_(pa.float32(), 2))
    inner = pa.array([[1.0, 2.0], [None, 1.0]], pa.list_(pa.float32(), 2))
    for kind in ["parquet", "arrow"]:
        source = write_table(pa.table({"a": values}), tmp_path / f"t.{kind}")
        assert cvc_refused("pack", source, "-f", code=FAILURE).endswith(
            "column 'a': 1 null, the first in row 1")
        source = write_table(pa.table({"a": inner}), tmp_path / f"t.{kind}")
        assert cvc_refused("pack", source, "-f", code=FAILURE).endswith(
            "column 'a': 1 null, the first in row 1")
    sliced = pa.table({"a": pa.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],
                                     pa.list_(pa.float32(), 2))}).slice(1)
    made = tmp_path / "s.cvc"
    cvc("pack", write_table(sliced, tmp_path / "s.arrow"), "-o", made)
    assert unpacked(made).tolist() == [[3, 4], [5, 6]]


def test_losses_are_reported(tmp_path: Path) -> None:
    array = vectors(10, 4)
    array[3, 1] = 1e6
    (tmp_path / "x.npy").write_bytes(npy(array))
    assert "1 numbers became infinite" in cvc("pack", tmp_path / "x.npy",
                                                                 "-q").err
    array[2, 2] = np.nan
    (tmp_path / "x.npy").write_bytes(npy(array))
    arguments = ["pack", tmp_path / "x.npy", "-f", "-q", "--compression", "int8"]
    assert "chunk 0" in cvc_refused(*arguments, code=USAGE)
    assert leftovers(tmp_path) == []
    cvc(*arguments, "--allow-nonfinite")
    assert np.isnan(unpacked(tmp_path / "x.npy.cvc")).all()


def test_options_that_do_not_fit(tmp_path: Path, plain: np.ndarray) -> None:
    source = tmp_path / "x.npy"
    source.write_bytes(npy(plain))
    for words in (["--compression", "zip"], ["--compression", "a=int8"], ["--chunk-rows", "0"],
                  ["--compression", "int8,fp16"], ["--version", "3"], ["--metadata", "{"],
                  ["--version", "0.1", "--compression", "lossless"], ["--column", "a"],
                  ["--version", "2.0", "--paged"], ["--dtype", "f32"], ["--from", "zip"]):
        cvc_refused("pack", source, *words, code=USAGE)
    assert list(tmp_path.iterdir()) == [source]
    cvc("pack", source, "--metadata", '{"b":1,"a":[]}', "--paged", "-j", 2, "--chunk-rows", 100)
    assert info(tmp_path / "x.npy.cvc")["metadata"] == {"a": [], "b": 1}
    assert info(tmp_path / "x.npy.cvc")["layout"] == "paged"
    assert "exists already" in cvc_refused("pack", source, code=FAILURE)
    cvc("pack", source, "-f", "--version", "2.0", "--compression", "vectors=int8")
    assert info(tmp_path / "x.npy.cvc")["columns"][0]["name"] == "vectors"


def test_bytes_do_not_depend_on_threads(tmp_path: Path, plain: np.ndarray) -> None:
    files = {threads: pack_to(tmp_path, f"{threads}.npy", npy(plain), "-j", threads, "--chunk-rows",
                              64).read_bytes() for threads in (0, 1, 3)}
    assert files[0] == files[1] == files[3]


def test_rounding(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    x = (rng.normal(size=(300, 3)) @ rng.normal(size=(3, 20))).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    step = (x.max(axis=0) - x.min(axis=0)) / 255
    off = {}
    for rounding in ("auto", "search", "nearest"):
        made = tmp_path / f"{rounding}.cvc"
        cvc("pack", tmp_path / "x.npy", "--compression", "int8_dim", "-o", made, "--rounding",
            rounding)
        off[rounding] = np.abs(unpacked(made) - x)
    assert (off["nearest"] <= 0.501 * step).all()
    assert not (off["search"] <= 0.501 * step).all()
    assert np.array_equal(off["auto"], off["nearest"])
    assert (off["search"] ** 2).mean() > (off["nearest"] ** 2).mean()


def test_parts(tmp_path: Path, plain: np.ndarray) -> None:
    made = pack_to(tmp_path, "x.npy", npy(plain), "--compression", "lossless", "--chunk-rows", 64)
    assert np.array_equal(unpacked(made, "--rows", "100:333"), plain[100:433])
    assert unpacked(made, "--rows", "700:0").shape == (0, DIMENSION)
    assert np.array_equal(unpacked(made, "--dtype", "float16"), plain.astype(np.float16))
    for words in (["--rows", "700:1"], ["--rows", "1"], ["--dtype", "float64"],
                  ["--column", "a"], ["--on-corruption", "no"], ["--dtype", "bfloat16"]):
        cvc_refused("unpack", made, "-f", "-o", tmp_path / "y.npy", *words, code=USAGE)
    assert "no section" in cvc_refused("unpack", made, "-o", tmp_path / "y.npy", "--section",
                                       "a=b", code=FAILURE)
    cvc_refused("unpack", made, "-o", tmp_path / "y.npy", "--max-output", "32K", code=LIMIT)
    cvc("unpack", made, "-o", tmp_path / "y.npy", "--max-output", "34K")


# ---- input that is not what it should be ----

def test_broken_vecs(tmp_path: Path, plain: np.ndarray) -> None:
    good = vecs(plain)
    size = 4 + 4 * DIMENSION
    other = bytearray(good)
    other[7 * size : 7 * size + 4] = struct.pack("<i", DIMENSION + 1)
    cases = {"cut": (good[:-1], CORRUPT), "head": (good[:3], CORRUPT), "empty": (b"", FAILURE),
             "other": (bytes(other), CORRUPT), "none": (struct.pack("<i", 0), CORRUPT),
             "negative": (struct.pack("<i", -1) + bytes(40), CORRUPT),
             "huge": (struct.pack("<i", 2**31 - 1) + bytes(40), CORRUPT)}
    for name, (content, code) in cases.items():
        (tmp_path / "x.fvecs").write_bytes(content)
        error = cvc_refused("pack", tmp_path / "x.fvecs", code=code, before=little_memory)
        if name == "other":
            assert "row 7 has 13 numbers, the first has 12" in error
        if content:  # the same through a pipe, where the size is not known
            cvc_refused("pack", "-", "--from", "fvecs", "-o", tmp_path / "x.cvc", code=CORRUPT,
                        stdin=content, before=little_memory)
    assert [path.name for path in tmp_path.iterdir()] == ["x.fvecs"]


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize(("head", "numbers", "said"), [
    (b"", 0, "is empty: its dimension is not known"),
    (b"\1\0\0\0\1", 0, "truncated: ends in its first 8 bytes"),
    ((3, 0), 0, "corrupt: its rows have 0 numbers"), ((0, 0), 5, "its rows have 0 numbers"),
    ((3, 4), 11, "truncated: "), ((3, 4), 0, "truncated: "), ((1, 2**32 - 1), 20, "truncated: "),
    ((3, 4), 13, " follow "), ((3, 4), 24, " follow "), ((0, 4), 4, " follow "),
    ((2**32 - 1, 2**32 - 1), 4, "corrupt: 4294967295 rows of 4294967295 numbers exceeds"),
    ((2**31, 2**30), 4, ("truncated: ", "exceeds")),
])  # fmt: skip
def test_broken_counted_rows(tmp_path: Path, name: str, head: bytes | tuple[int, int],
                             numbers: int, said: str | tuple[str, str]) -> None:
    one = np.dtype(COUNTED[name]).itemsize
    if isinstance(said, tuple):
        said = said[one == 4]
    front = head if isinstance(head, bytes) else struct.pack("<2I", *head)
    content, file = front + bytes(numbers * one), tmp_path / f"x.{name}"
    file.write_bytes(content)
    code = CORRUPT if content else FAILURE
    assert said in cvc_refused("pack", file, code=code, before=little_memory)
    cvc_refused("pack", "-", "--from", name, "-o", tmp_path / "x.cvc", code=code, stdin=content,
                before=little_memory)
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def little_memory() -> None:
    """No room for what a header only claims."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))


def test_broken_npy(tmp_path: Path, plain: np.ndarray) -> None:
    def with_shape(shape: str, order: str = "False") -> bytes:
        text = f"{{'descr': '<f4', 'fortran_order': {order}, 'shape': {shape}, }}".encode()
        return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + bytes(64)

    cases = {"(5000000000, 5000000000)": CORRUPT, "(100000000000, 4)": CORRUPT,
             "(9223372036854775807, 9223372036854775807)": CORRUPT, "(2, 9)": CORRUPT,
             "(3, 0)": FAILURE, "(2, 2, 2)": FAILURE, "()": FAILURE, "(1, 1000000000000)": CORRUPT}
    for shape, code in cases.items():
        for order in ["False", "True"]:
            (tmp_path / "x.npy").write_bytes(with_shape(shape, order))
            cvc_refused("pack", tmp_path / "x.npy", code=code, before=little_memory)
        cvc_refused("pack", "-", "-o", tmp_path / "x.cvc", code=code, stdin=with_shape(shape),
                    before=little_memory)
    (tmp_path / "x.npy").write_bytes(npy(plain)[:-1])
    assert "truncated" in cvc_refused("pack", tmp_path / "x.npy", code=CORRUPT)
    (tmp_path / "x.npy").write_bytes(npy(plain.astype(np.complex64)))
    cvc_refused("pack", tmp_path / "x.npy", code=FAILURE)
    (tmp_path / "x.npy").write_bytes(npy(np.array([[2**63]], np.uint64)))
    assert "int64" in cvc_refused("pack", tmp_path / "x.npy", code=FAILURE)
    assert [path.name for path in tmp_path.iterdir()] == ["x.npy"]


def test_broken_safetensors(tmp_path: Path) -> None:
    def made(header: object, data: int = 64) -> bytes:
        text = header if isinstance(header, bytes) else json.dumps(header).encode()
        return struct.pack("<Q", len(text)) + text + bytes(data)

    def tensor(**entries: object) -> bytes:
        good = {"dtype": "F32", "shape": [4, 4], "data_offsets": [0, 64]}
        return made({"a": {**good, **entries}})

    cases = [b"", b"\x05", struct.pack("<Q", 2**63) + bytes(9), struct.pack("<Q", 100) + b"{}",
             made(b"{"), made([]), made({"a": 1}), made({"a": {}}), tensor(data_offsets=[0, 65]),
             tensor(data_offsets=[60, 4]), tensor(data_offsets=[0]), tensor(data_offsets=[-1, 63]),
             tensor(data_offsets=[0, 1e300]), tensor(shape=[4, 5]), tensor(shape=[2**62, 2**62]),
             tensor(shape="x"), tensor(shape=[-4, -4]), tensor(dtype=7), made(b"[" * 100_000),
             tensor(data_offsets=[2**64 - 4, 2**64 - 2])]
    for content in cases:
        (tmp_path / "x.safetensors").write_bytes(content)
        cvc_refused("pack", tmp_path / "x.safetensors", code=CORRUPT, before=little_memory)
    for content in [made({}), tensor(dtype="F8_E4M3"), made({"__metadata__": {}})]:
        (tmp_path / "x.safetensors").write_bytes(content)
        run("cvc", "pack", tmp_path / "x.safetensors", code=FAILURE)
    assert [path.name for path in tmp_path.iterdir()] == ["x.safetensors"]


def test_broken_raw(plain: np.ndarray, tmp_path: Path) -> None:
    cvc_refused("pack", "-", "--dtype", "f32", "--dimension", 12, "-o", tmp_path / "x.cvc",
                stdin=plain.tobytes()[:-4], code=CORRUPT)
    cvc_refused("pack", "-", "--dtype", "f32", "--dimension", 2**63, "-o", tmp_path / "x.cvc",
                stdin=b"1234", code=CORRUPT, before=little_memory)
    assert list(tmp_path.iterdir()) == []


def test_long_files_in_little_memory(tmp_path: Path) -> None:
    """Far more numbers than may be held: chunks go by one at a time."""
    rows = np.zeros((1 << 16, 512), np.float32)  # 128 MiB
    np.save(tmp_path / "x.npy", rows)

    def limit() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (100 << 20, 100 << 20))

    made = tmp_path / "x.cvc"
    for stdin in (None, (tmp_path / "x.npy").read_bytes()):
        cvc("pack", "-" if stdin else tmp_path / "x.npy", "-f", "-o", made, "-j", 1,
            "--chunk-rows", 4096, stdin=stdin or b"", before=limit)
    cvc("unpack", made, "-o", tmp_path / "y.npy", "-j", 1, before=limit)
    assert (tmp_path / "y.npy").read_bytes() == (tmp_path / "x.npy").read_bytes()
    assert len(payloads(made)) == 16
