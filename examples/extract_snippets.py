#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""extract_snippets.py GUIDE... OUT: makes a program of the cpp blocks of the guides.

Each block becomes the body of a function, and main calls them in order; lines with `#include` go in
front of it. A block may use what it defines itself, numpact, and the headers of PRELUDE.
"""
import re
import sys
from pathlib import Path

PRELUDE = """#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory_resource>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "numpact/numpact.hpp"
"""


def main():
    *guides, out = map(Path, sys.argv[1:])
    text = "\n".join(guide.read_text(encoding="utf-8") for guide in guides)
    blocks = re.findall(r"```cpp\n(.*?)```", text, re.DOTALL)
    parts = [PRELUDE]
    for index, block in enumerate(blocks):
        lines = block.splitlines()
        top = [line for line in lines if line.startswith("#include")]
        body = [line and "  " + line for line in lines if line not in top]
        parts += top + [f"void snippet_{index}() {{", *body, "}"]
    calls = [f"  snippet_{index}();" for index in range(len(blocks))]
    parts += ["int main() {", *calls, "}", ""]
    out.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
