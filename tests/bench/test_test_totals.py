# SPDX-License-Identifier: Apache-2.0
"""tools/test_totals.py counts every case once, and every failure."""

from __future__ import annotations

from pathlib import Path

import pytest
import test_totals

FAILURE = '<failure message="no"/>'


def report(folder: Path, name: str, *cases: str) -> str:
    path = folder / f"{name}.xml"
    path.write_text(f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>")
    return str(path)


def case(name: str, inside: str = "", status: str = "run") -> str:
    return f'<testcase name="{name}" status="{status}">{inside}</testcase>'


def totals_of(capsys: pytest.CaptureFixture[str], *reports: str) -> tuple[int, str]:
    code = test_totals.main(list(reports))
    return code, capsys.readouterr().out.strip()


def test_cases_of_one_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inner = report(tmp_path, "whole_test", case("A"), case("B"), case("C", "<skipped/>"),
                   case("D", status="notrun"))
    outer = report(tmp_path, "ctest", case("other.X"), case("whole_test"))
    assert totals_of(capsys, outer, inner) == (0, "3 passed, 0 failed")


@pytest.mark.parametrize("inside, expected", [(FAILURE, "2 passed, 1 failed"),
                                            ("", "3 passed, 1 failed")])
def test_a_program_that_failed(tmp_path: Path, capsys: pytest.CaptureFixture[str], inside: str,
                               expected: str) -> None:
    """By a case, or behind all of them."""
    inner = report(tmp_path, "whole_test", case("A"), case("B", inside))
    outer = report(tmp_path, "ctest", case("other.X"), case("whole_test", FAILURE, "fail"))
    assert totals_of(capsys, outer, inner) == (1, expected)


def test_a_program_without_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outer = report(tmp_path, "ctest", case("other.X"), case("whole_test", FAILURE, "fail"))
    assert totals_of(capsys, outer) == (1, "1 passed, 1 failed")


def test_nothing_passed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert totals_of(capsys, report(tmp_path, "pytest", case("a", "<skipped/>"))) == \
        (1, "0 passed, 0 failed")
