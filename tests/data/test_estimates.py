# SPDX-License-Identifier: Apache-2.0
"""Estimates of the size of real columns, where the shared data is at hand."""

from __future__ import annotations

import columns
import numpact_ctypes as numpact
import pytest

NUMBERS = 200_000  # of each column


@pytest.mark.skipif(not columns.SHARED.is_dir(), reason="no shared data")
def test_nine_of_ten_files_are_within_the_stated_error(summary: list[str]) -> None:
    within = found = 0
    for path in columns.data_files(columns.SHARED):
        for _, numbers in columns.file_columns(path, NUMBERS):
            size, error = numpact.Estimator(numbers).run()
            assert (size, error) == numpact.Estimator(numbers).run()
            within += abs(len(numpact.compress(numbers)) - size) <= error
            found += 1
    summary.append(f"estimates: {within} of {found} within the stated error")
    assert within >= 0.9 * found
