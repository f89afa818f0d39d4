# SPDX-License-Identifier: Apache-2.0
"""numpact cvc pack says what it rounds, and by how much."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cvc_support import cvc, unpacked, vecs

ROWS = np.random.default_rng(6).normal(size=(400, 12)) * 7


def packed(tmp_path: Path, rows: np.ndarray, *arguments: object) -> tuple[list[str], np.ndarray]:
    """The lines on standard error, and the decoded rows."""
    np.save(tmp_path / "v.npy", rows)
    ran = cvc("pack", tmp_path / "v.npy", "-f", "-o", tmp_path / "v.cvc", *arguments)
    lines = [line.removeprefix(f"numpact: {tmp_path / 'v.cvc'}: ") for line in ran.err.splitlines()]
    return lines, unpacked(tmp_path / "v.cvc")


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int16"])
@pytest.mark.parametrize("compression", ["fp16", "int8", "int8_dim", "int4", "bfloat16"])
def test_the_largest_error(tmp_path: Path, dtype: str, compression: str) -> None:
    rows = (ROWS * (20 if dtype == "int16" else 1)).astype(dtype)
    lines, decoded = packed(tmp_path, rows, "--compression", compression, "--chunk-rows", 150)
    error = np.abs(rows.astype(np.float64) - decoded.astype(np.float64)).max()
    loss = "exact" if error == 0 else f"max error {error:.2e}"
    assert lines[-1] == f"{dtype} -> {compression}, {loss}"
    assert f"400 rows of 12 {dtype} numbers" in lines[0]
    assert f"{rows.nbytes:,} -> " in lines[0]


def test_what_is_kept_is_not_measured(tmp_path: Path) -> None:
    for compression in ("lossless", "pco"):
        lines, _ = packed(tmp_path, ROWS.astype(np.float32), "--compression", compression)
        assert len(lines) == 1
    assert packed(tmp_path, ROWS, "--quiet")[0] == []


def test_values_that_overflow_have_no_error(tmp_path: Path) -> None:
    rows = ROWS.astype(np.float32)
    rows[3, 4] = 1e6
    lines, decoded = packed(tmp_path, rows)
    finite = np.isfinite(decoded)
    assert finite.sum() == rows.size - 1
    assert lines[0] == "1 numbers became infinite"
    assert lines[-1] == f"float32 -> fp16, max error {np.abs(rows - decoded)[finite].max():.2e}"


@pytest.mark.parametrize("compression", ["fp16", "bfloat16", "int8", "int8_row", "int4"])
def test_values_that_are_too_small_are_counted(tmp_path: Path, compression: str) -> None:
    rows = (ROWS * (1e-12 if compression == "fp16" else 1e-48)).astype(np.float64)
    rows[7] = 0
    lines, decoded = packed(tmp_path, rows, "--compression", compression)
    assert (decoded == 0).all()
    said = f"{399 * 12} numbers became 0 or the least of their range: they are too small for the "
    assert lines[0] == f"{said}compression"
    assert packed(tmp_path, rows, "--compression", compression, "-q")[0] == lines[:1]
    columns = packed(tmp_path, rows, "--compression", compression, "--version", "2.0")[0]
    if compression != "fp16":
        assert f"column 'vectors': {399 * 12} numbers became 0 in float32" in columns


def test_streams_are_not_read_again(tmp_path: Path) -> None:
    ran = cvc("pack", "-", "--from", "raw", "--dtype", "bf16", "--dimension", 4, "-o",
              tmp_path / "v.cvc", stdin=bytes(800))
    assert ran.err.splitlines()[-1].endswith("v.cvc: bfloat16 -> fp16")
    assert "800 -> " in ran.err


def test_rows_with_gaps(tmp_path: Path) -> None:
    # In .fvecs each row begins with its dimension.
    rows = ROWS.astype(np.float32)
    (tmp_path / "v.fvecs").write_bytes(vecs(rows))
    ran = cvc("pack", tmp_path / "v.fvecs", "-o", tmp_path / "v.cvc")
    error = np.abs(rows - unpacked(tmp_path / "v.cvc")).max()
    assert ran.err.splitlines()[-1].endswith(f"float32 -> fp16, max error {error:.2e}")


def test_columns(tmp_path: Path, arrow: None) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    values = pa.FixedSizeListArray.from_arrays(ROWS.astype(np.float32).reshape(-1), 12)
    table = pa.table({"a": values, "id": np.arange(400), "x": ROWS[:, 0]})
    pq.write_table(table, tmp_path / "t.parquet")
    ran = cvc("pack", tmp_path / "t.parquet", "--compression", "a=int8", "-o", tmp_path / "t.cvc")
    lines = ran.err.splitlines()
    assert any("column 'a': float32 -> int8, max error " in line for line in lines)
    assert any("column 'x': float64 -> fp16, max error " in line for line in lines)
    assert not any("'id'" in line for line in lines)


def test_only_values_that_stay_are_exact(tmp_path: Path) -> None:
    """The payloads of NaNs change, and a value that became infinite is no exact one."""
    rows = np.ones((40, 4), np.float32)
    rows.view(np.uint32)[3, 1] = 0x7F800001
    rows[5, 2] = np.inf
    lines, decoded = packed(tmp_path, rows)
    assert np.isnan(decoded[3, 1])
    assert np.isinf(decoded[5, 2])
    assert lines[-1] == "float32 -> fp16, exact (NaNs may have other payloads)"
    rows[7, 3] = 1e6
    lines, _ = packed(tmp_path, rows)
    assert lines[0] == "1 numbers became infinite"
    assert lines[-1] == "float32 -> fp16"
