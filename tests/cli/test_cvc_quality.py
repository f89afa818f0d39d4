# SPDX-License-Identifier: Apache-2.0
"""numpact cvc quality, beside the same figures by NumPy."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_program import CORRUPT, FAILURE, ROOT, USAGE, refused, run

DATA = ROOT.parent / "shared" / "data"
WINE = DATA / "emb_wine_minilm_384.npy"
SIFT = DATA / "emb_sift_128.npy"
# The order of nearly equal distances depends on rounding.
CLOSE = 2e-3


def quality(*arguments: object) -> dict[str, Any]:
    return json.loads(run("cvc", "quality", *arguments, "--json").text)


def by_name(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in report["compressions"]}


def distances(queries: np.ndarray, base: np.ndarray, metric: str) -> np.ndarray:
    """From every query to every row; those of a row to itself are infinite."""
    a, b = queries.astype(np.float64), base.astype(np.float64)
    if metric == "cosine":
        a = a / np.linalg.norm(a, axis=1, keepdims=True)
        b = b / np.linalg.norm(b, axis=1, keepdims=True)
    found = -(a @ b.T)
    if metric == "l2":
        found = 2 * found + (a * a).sum(1)[:, None] + (b * b).sum(1)
    np.fill_diagonal(found, np.inf)
    return found


def recall(original: np.ndarray, decoded: np.ndarray, k: int, metric: str,
           quantized: bool = False) -> float:
    exact = distances(original, original, metric)
    limits = np.partition(exact, k - 1, axis=1)[:, k - 1]
    rough = distances(decoded if quantized else original, decoded, metric)
    found = np.argpartition(rough, k - 1, axis=1)[:, :k]
    near = np.take_along_axis(exact, found, 1) <= (limits + 1e-9 * np.abs(limits))[:, None]
    return float(near.mean())


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(700, 24)) * rng.uniform(0.2, 3, 24)
    path = tmp_path / "vectors.npy"
    np.save(path, rows.astype(np.float32))
    return path


def packed_and_back(source: Path, compression: str, chunk_rows: int) -> tuple[Path, np.ndarray]:
    packed = source.with_name(f"{compression}.cvc")
    again = source.with_name(f"{compression}.npy")
    run("cvc", "pack", source, "-q", "--compression", compression, "--chunk-rows", chunk_rows,
        "-o", packed)
    run("cvc", "unpack", packed, "-q", "-o", again)
    return packed, np.load(again).astype(np.float32)


def check_errors(row: dict[str, Any], original: np.ndarray, decoded: np.ndarray) -> None:
    x, y = original.astype(np.float64), decoded.astype(np.float64)
    error = np.abs(x - y)
    assert row["max_error"] == error.max()
    assert row["mean_error"] == pytest.approx(error.mean(), rel=1e-9)
    assert row["rmse"] == pytest.approx(np.sqrt((error**2).mean()), rel=1e-9)
    cosine = 1 - (x * y).sum(1) / np.linalg.norm(x, axis=1) / np.linalg.norm(y, axis=1)
    assert row["mean_cosine_error"] == pytest.approx(cosine.mean(), rel=1e-6, abs=1e-14)
    assert row["worst_cosine_error"] == pytest.approx(cosine.max(), rel=1e-6, abs=1e-14)


@pytest.mark.parametrize("chunk_rows", [100, 1000])
def test_every_compression_is_measured_as_its_file(vectors: Path, chunk_rows: int) -> None:
    original = np.load(vectors)
    report = quality(vectors, "--chunk-rows", chunk_rows)
    assert (report["vectors"], report["dimension"], report["dtype"]) == (700, 24, "float32")
    assert report["search"] == {"k": 10, "metric": "l2", "sample": 700, "queries": 700,
                                "quantized_queries": False}
    rows = by_name(report)
    assert {"fp16", "int8", "lossless"} <= set(rows)
    for name, row in rows.items():
        packed, decoded = packed_and_back(vectors, name, chunk_rows)
        assert row["bytes"] == packed.stat().st_size, name
        assert row["bytes_per_vector"] == row["bytes"] / 700
        assert row["ratio"] == pytest.approx(original.nbytes / row["bytes"])
        check_errors(row, original, decoded)
        assert row["recall"]["mean"] == pytest.approx(recall(original, decoded, 10, "l2"),
                                                      abs=CLOSE)
        assert row["recall"]["low"] <= row["recall"]["mean"] <= row["recall"]["high"]
        assert row["overflows"] == 0
        of_file = quality(vectors, packed)["compressions"]
        assert [entry["name"] for entry in of_file] == [str(packed)]
        assert {**of_file[0], "name": name} == row
    assert rows["lossless"]["recall"] == {"mean": 1, "low": 1, "high": 1}
    assert rows["int8"]["recall"]["high"] < 1


@pytest.mark.parametrize("metric", ["l2", "cosine", "dot"])
@pytest.mark.parametrize("quantized", [False, True])
def test_recall_is_numpys(vectors: Path, metric: str, quantized: bool) -> None:
    original = np.load(vectors)
    _, decoded = packed_and_back(vectors, "int8", 100_000)
    options = ["--quantized-queries"] if quantized else []
    report = quality(vectors, "--compression", "int8", "--metric", metric, "-k", 25, *options)
    expected = recall(original, decoded, 25, metric, quantized)
    assert expected < 0.995
    found = report["compressions"][0]["recall"]
    assert found["mean"] == pytest.approx(expected, abs=CLOSE)
    assert 0 < found["high"] - found["low"] < 0.02


@pytest.mark.skipif(not WINE.exists(), reason=f"{WINE} is not there")
def test_recall_of_embeddings_is_numpys(tmp_path: Path) -> None:
    original = np.load(WINE)[:1500].astype(np.float32)
    np.save(tmp_path / "wine.npy", original)
    _, decoded = packed_and_back(tmp_path / "wine.npy", "int8", 100_000)
    row = quality(tmp_path / "wine.npy", "--compression", "int8")["compressions"][0]
    check_errors(row, original, decoded)
    expected = recall(original, decoded, 10, "l2")
    assert row["recall"]["mean"] == pytest.approx(expected, abs=CLOSE)


def test_threads_and_blocks_change_nothing(vectors: Path) -> None:
    reports = [run("cvc", "quality", vectors, "--json", "-j", n).text for n in (1, 3)]
    assert reports[0] == reports[1]


def test_samples_agree_with_the_whole(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    np.save(tmp_path / "many.npy", rng.normal(size=(6000, 8)).astype(np.float32))
    options = [tmp_path / "many.npy", "--compression", "int8", "-k", 5]
    report = quality(*options, "--sample", 3000, "--queries", 500)
    assert report["search"]["sample"] == 3000
    assert report["search"]["queries"] == 500
    part = report["compressions"][0]
    assert quality(*options)["search"]["queries"] == 1000
    whole = quality(*options, "--sample", "all", "--queries", "all")
    assert whole["search"]["sample"] == whole["search"]["queries"] == 6000
    every = whole["compressions"][0]
    assert part["max_error"] == every["max_error"]  # errors are of all rows
    assert abs(part["recall"]["mean"] - every["recall"]["mean"]) < 0.02


def test_duplicates_are_as_good_as_each_other(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    rows = np.repeat(rng.normal(size=(40, 6)), 12, axis=0).astype(np.float32)
    np.save(tmp_path / "twelve.npy", rng.permutation(rows))
    report = quality(tmp_path / "twelve.npy")
    assert all(row["recall"]["mean"] == 1 for row in report["compressions"])


def test_overflows_are_counted(tmp_path: Path) -> None:
    rows = np.ones((50, 2), np.float32) * np.arange(50)[:, None]
    rows[7] = [1e6, -1e6]
    np.save(tmp_path / "large.npy", rows)
    row = by_name(quality(tmp_path / "large.npy"))["fp16"]
    assert row["overflows"] == 2
    assert row["max_error"] is None
    assert " inf " in run("cvc", "quality", tmp_path / "large.npy").text


def test_other_types_and_formats(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    rows = rng.normal(size=(60, 4))
    for dtype in (np.float64, np.float16):
        np.save(tmp_path / "typed.npy", rows.astype(dtype))
        found = by_name(quality(tmp_path / "typed.npy"))
        exact = {np.float64: "float64", np.float16: "float16"}[dtype]
        assert quality(tmp_path / "typed.npy")["dtype"] == exact
        # float64 would lose something as float32 already, which lossless and pco refuse.
        for name in ("lossless", "pco"):
            assert (name in found) == (dtype == np.float16)
            assert name not in found or found[name]["max_error"] == 0
    np.save(tmp_path / "bytes.npy", rng.integers(0, 256, (60, 4)).astype(np.uint8))
    assert by_name(quality(tmp_path / "bytes.npy"))["fp16"]["max_error"] == 0
    raw = rows.astype(np.float32).tobytes()
    piped = run("cvc", "quality", "-", "--dtype", "f32", "--dimension", 4, "--json", stdin=raw)
    np.save(tmp_path / "same.npy", rows.astype(np.float32))
    assert by_name(json.loads(piped.text)) == by_name(quality(tmp_path / "same.npy"))
    packed, _ = packed_and_back(tmp_path / "same.npy", "lossless", 7)
    assert by_name(quality(packed)) == by_name(quality(tmp_path / "same.npy"))


def test_columns(tmp_path: Path, arrow: None) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    rng = np.random.default_rng(6)
    columns = [
        pa.FixedSizeListArray.from_arrays(rng.normal(size=120).astype(np.float32), 3)
        for _ in range(2)
    ]
    pq.write_table(pa.table(columns, names=["a", "b"]), tmp_path / "t.parquet")
    line = refused("cvc", "quality", tmp_path / "t.parquet", code=USAGE)
    assert "--column" in line
    assert "'a', 'b'" in line
    run("cvc", "pack", tmp_path / "t.parquet", "-q", "--compression", "int8", "-o",
        tmp_path / "t.cvc")
    for source in ("t.parquet", "t.cvc"):
        report = quality(tmp_path / source, tmp_path / "t.cvc", "--column", "b")
        assert report["compressions"][0]["compression"] == "int8"
        assert (report["compressions"][0]["max_error"] == 0) == (source == "t.cvc")


def test_table_says_what_was_done(vectors: Path) -> None:
    text = run("cvc", "quality", vectors, "--metric", "cosine", "-k", 3).text
    assert "recall@3" in text
    assert "cosine" in text
    assert "700 original rows as queries" in text
    assert any(line.startswith("int8 ") for line in text.splitlines())


@pytest.mark.skipif(not WINE.exists(), reason=f"{WINE} is not there")
def test_the_documents_table_is_printed(tmp_path: Path) -> None:
    text = (ROOT / "docs/cli-vectors.md").read_text()
    command, printed = re.findall(r"```text\n\$ numpact (cvc quality .*)\n((?:.|\n)*?)```", text)[0]
    (tmp_path / WINE.name).symlink_to(WINE)
    made = run(*command.split(), cwd=tmp_path).text
    assert printed == made


@pytest.mark.skipif(not SIFT.exists(), reason=f"{SIFT} is not there")
def test_the_guide_on_integers_of_a_small_range() -> None:
    rows = by_name(quality(SIFT, "--compression", "int4,int8_row,int8_dim"))
    text = " ".join((ROOT / "docs/cvc.md").read_text().split())
    error, share = re.findall(r"its largest error is ([\d.]+), and it finds ([\d.]+) %", text)[0]
    assert float(error) == round(rows["int4"]["max_error"], 1)
    assert float(share) == round(100 * rows["int4"]["recall"]["mean"], 1)
    assert rows["int8_row"]["max_error"] == rows["int8_dim"]["max_error"] == 0


def test_ratios_are_to_the_type_of_the_input(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    for dtype in ("float16", "float64", "int16", "uint8"):
        rows = (20 * rng.random((100, 8))).astype(dtype)
        np.save(tmp_path / "typed.npy", rows)
        report = quality(tmp_path / "typed.npy")
        assert report["dtype"] == dtype
        for row in report["compressions"]:
            assert row["ratio"] == pytest.approx(rows.nbytes / row["bytes"])
        assert f"ratio to {dtype};" in run("cvc", "quality", tmp_path / "typed.npy").text


def test_rows_that_are_too_few(tmp_path: Path) -> None:
    np.save(tmp_path / "few.npy", np.arange(20, dtype=np.float32).reshape(10, 2))
    ran = run("cvc", "quality", tmp_path / "few.npy", "--json")
    assert "10 rows are too few for 10 neighbours" in ran.err
    report = json.loads(ran.text)
    assert report["search"] is None
    assert all(row["recall"] is None for row in report["compressions"])
    assert quality(tmp_path / "few.npy", "-k", 9)["search"]["k"] == 9


def test_rows_without_distances_are_refused(tmp_path: Path) -> None:
    rows = np.ones((30, 3), np.float32)
    rows[21, 2] = np.nan
    np.save(tmp_path / "nan.npy", rows)
    line = refused("cvc", "quality", tmp_path / "nan.npy", code=FAILURE)
    assert "nan.npy: row 21, value 2 is nan" in line
    np.save(tmp_path / "none.npy", np.ones((0, 3), np.float32))
    assert "no rows" in refused("cvc", "quality", tmp_path / "none.npy", code=FAILURE)


def test_packed_files_of_other_vectors_are_refused(vectors: Path, tmp_path: Path) -> None:
    rows = np.load(vectors)
    others = {"short": rows[:699], "long": np.vstack([rows, rows]), "thin": rows[:, 1:]}
    for name, part in others.items():
        np.save(tmp_path / "other.npy", np.ascontiguousarray(part))
        run("cvc", "pack", tmp_path / "other.npy", "-q", "-o", tmp_path / f"{name}.cvc")
        line = refused("cvc", "quality", vectors, tmp_path / f"{name}.cvc", code=FAILURE)
        assert f"{name}.cvc" in line
        assert ("23" if name == "thin" else str(len(part))) in line
    run("cvc", "pack", vectors, "-q", "-o", tmp_path / "whole.cvc")
    damaged = bytearray((tmp_path / "whole.cvc").read_bytes())
    damaged[-1] ^= 1
    (tmp_path / "damaged.cvc").write_bytes(damaged)
    assert "damaged.cvc" in refused("cvc", "quality", vectors, tmp_path / "damaged.cvc",
                                    code=CORRUPT)
    assert "checksum" in refused("cvc", "quality", tmp_path / "damaged.cvc", code=CORRUPT)


def test_wrong_use(vectors: Path) -> None:
    assert "--metric" in refused("cvc", "quality", vectors, "--metric", "hamming", code=USAGE)
    assert "-k" in refused("cvc", "quality", vectors, "-k", 0, code=USAGE)
    assert "--sample" in refused("cvc", "quality", vectors, "--sample", "-5", code=USAGE)
    assert "--queries" in refused("cvc", "quality", vectors, "--queries", "many", code=USAGE)
    assert "none" in refused("cvc", "quality", vectors, "--compression", "none", code=USAGE)
    refused("cvc", "quality", vectors, "--compression", "int7", code=USAGE)
    refused("cvc", "quality", vectors.with_name("absent.npy"), code=FAILURE)
