#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_readme.py DOCUMENT SOURCES...: fails unless each line of code that the C++ or C blocks of
DOCUMENT show is a line of SOURCES, one after another, in the same order.
"""

import re
import sys
from pathlib import Path


def main():
    document, *sources = (Path(name).read_text(encoding="utf-8") for name in sys.argv[1:])
    blocks = re.findall(r"```(?:cpp|c)\n(.*?)```", document, re.DOTALL)
    shown = [line.strip() for block in blocks for line in block.splitlines() if line.strip()]
    lines = iter([line.strip() for source in sources for line in source.splitlines()])
    missing = next((line for line in shown if line not in lines), None)
    if shown and missing is None:
        return 0
    lacking = " and ".join(sys.argv[2:])
    print(f"{sys.argv[1]} shows what is not in {lacking}: {missing or 'no block of code'}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
