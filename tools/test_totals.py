#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sums JUnit reports: prints `N passed, N failed` and exits with 1 if a test failed or none ran."""
import sys
import xml.etree.ElementTree as ET


def main(reports):
    passed = failed = 0
    for report in reports:
        for case in ET.parse(report).getroot().iter("testcase"):
            if case.find("failure") is not None or case.find("error") is not None:
                failed += 1
            elif case.find("skipped") is None:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
