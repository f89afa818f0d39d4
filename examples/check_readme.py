#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_readme.py README SOURCE: fails unless README shows SOURCE, less its first line."""
import re
import sys
from pathlib import Path


def main():
    readme, source = (Path(name).read_text(encoding="utf-8") for name in sys.argv[1:])
    shown = source.partition("\n")[2]  # without the SPDX line
    if shown in re.findall(r"```cpp\n(.*?)```", readme, re.DOTALL):
        return 0
    print(f"no cpp block of {sys.argv[1]} is the text of {sys.argv[2]}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
