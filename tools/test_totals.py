#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sums JUnit reports: prints `N passed, N failed` and exits with 1 if a test failed or none ran.

A program that ctest starts once for all of its cases is one test of ctest's, named as the report of
GoogleTest that it writes: the cases of that are counted instead. If it failed without a case that
says so, as by a crash, that counts as one failure.
"""
import sys
import xml.etree.ElementTree as ET
from pathlib import Path


def outcomes(report):
    """The name of each case and whether it passed; None if it was skipped."""
    for case in ET.parse(report).getroot().iter("testcase"):
        if case.get("status") == "notrun":
            continue
        passed = case.find("failure") is None and case.find("error") is None
        yield case.get("name"), None if case.find("skipped") is not None else passed


def main(reports):
    found = {Path(report).stem: list(outcomes(report)) for report in reports}
    counted = []
    for cases in found.values():
        for name, passed in cases:
            if name not in found:
                counted.append(passed)
            elif passed is False and all(inner is not False for _, inner in found[name]):
                counted.append(False)
    passed, failed = counted.count(True), counted.count(False)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
