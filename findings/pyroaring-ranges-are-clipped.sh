#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A bitmap of 32 bits refuses numbers beyond them, in every way to make it.
# Seen: pyroaring 1.2.0 refuses 2^32 + 5 in a list or an array, but of a range it leaves out what is
#   beyond: range(2^32 - 2, 2^32 + 3) has 2 of 5 numbers, as has add_range, and shift drops them.
#   Arrays of floats are cut: 1.7 is 1. BitMap64 keeps the range.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pyroaring==1.2.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python - <<'PY'
import numpy as np
from pyroaring import BitMap, BitMap64

LAST = 2**32 - 1
numbers = range(LAST - 1, LAST + 4)
for name, values in (("list", list(numbers)), ("array of int64", np.array(numbers))):
    try:
        BitMap(values)
    except OverflowError as error:
        print(f"{name}: {error}")
    else:
        raise AssertionError("changed")
added = BitMap()
added.add_range(numbers.start, numbers.stop)
for name, seen, expected in (
    ("range", BitMap(numbers), [LAST - 1, LAST]),
    ("add_range", added, [LAST - 1, LAST]),
    ("shifted by 3", BitMap([5, LAST]).shift(3), [8]),
    ("shifted by -3", BitMap([1, 5]).shift(-3), [2]),
    ("array of 1.7 and 3.0", BitMap(np.array([1.7, 3.0])), [1, 3]),
    ("range of 64 bits", BitMap64(numbers), list(numbers)),
):
    print(f"{name}: {list(seen)}")
    assert list(seen) == expected, "changed"
PY
echo "as recorded"
