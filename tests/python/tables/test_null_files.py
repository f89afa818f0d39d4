# SPDX-License-Identifier: Apache-2.0
"""Damage in the files of nulls is found, since they have checksums."""

import numpy as np
import pyarrow as pa
import pytest

import numpact


def nullable_table(rows: int, seed: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 1000, rows)
    return pa.table({"a": pa.array(values, mask=rng.random(rows) < 0.3)})


def test_no_flipped_bit_of_the_nulls_gives_other_rows(tmp_path):
    table = nullable_table(400, 1)
    numpact.write_table(table, tmp_path / "t")
    path = tmp_path / "t" / "a.nulls.pco"
    whole = path.read_bytes()
    found = 0
    for bit in range(len(whole) * 8):
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        try:
            read = numpact.read_table(tmp_path / "t").to_arrow()
        except numpact.Error as error:
            assert "a.nulls.pco" in str(error)
            found += 1
        else:
            assert read.equals(table), f"bit {bit}"
    assert found > len(whole) * 4


@pytest.mark.parametrize("trailer", [True, False])
def test_appends_keep_checksums_of_nulls(tmp_path, trailer):
    first, second = nullable_table(300, 2), nullable_table(200, 3)
    numpact.write_table(first, tmp_path / "t", trailer=trailer)
    numpact.append_table(second, tmp_path / "t", trailer=trailer)
    (path,) = (tmp_path / "t").glob("a.*nulls.pco")
    assert (numpact.read_trailer(path) is not None) == trailer
    joined = pa.concat_tables([first, second])
    assert (
        numpact.read_table(tmp_path / "t")
        .to_arrow()
        .combine_chunks()
        .equals(joined.combine_chunks())
    )
