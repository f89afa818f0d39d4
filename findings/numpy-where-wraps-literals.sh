#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: NumPy 2 refuses a Python integer that does not fit the type of the array, 300 for uint8,
#   wherever it is given one: in arithmetic, assignments, insert, where, pad.
# Seen: numpy 2.4.6: where, select, choose and pad take it and wrap: 300 is 44, -1 is 255, 2^40 of
#   int32 is 0; linspace(0, 300, 4, dtype=uint8) ends with 44; an array of int64 that is assigned
#   wraps, a list is refused. a + 300, maximum, full_like, put, copyto and insert refuse it, clip
#   takes it as it is meant.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np

a = np.array([1, 2, 200], np.uint8)
mask = np.array([True, False, True])


def assigned(numbers):
    b = a.copy()
    b[mask] = numbers
    return b


for name, seen, expected in (
    ("where(mask, a, 300)", np.where(mask, a, 300), [1, 44, 200]),
    ("where(mask, a, -1)", np.where(mask, a, -1), [1, 255, 200]),
    ("where(mask, int32, 2**40)", np.where(mask, a.astype(np.int32), 2**40), [1, 0, 200]),
    ("select([mask], [a], 300)", np.select([mask], [a], 300), [1, 44, 200]),
    ("choose([0, 1, 0], [a, 300])", np.choose([0, 1, 0], [a, 300]), [1, 44, 200]),
    ("pad(a, 1, constant_values=300)", np.pad(a, 1, constant_values=300), [44, 1, 2, 200, 44]),
    ("linspace(0, 300, 4)", np.linspace(0, 300, 4, dtype=np.uint8), [0, 100, 200, 44]),
    ("a[mask] = array([300, 1])", assigned(np.array([300, 1])), [44, 2, 1]),
    ("clip(a, -5, 300)", np.clip(a, -5, 300), [1, 2, 200]),
):
    print(f"{name} -> {seen.dtype} {seen.tolist()}")
    assert seen.tolist() == expected, "changed"
for name, refuses in {
    "a + 300": lambda: a + 300,
    "maximum": lambda: np.maximum(a, 300),
    "full": lambda: np.full_like(a, 300),
    "insert": lambda: np.insert(a, 0, 300),
    "copyto": lambda: np.copyto(a.copy(), 300, where=mask),
    "put": lambda: a.copy().put([0], 300),
    "a[mask] = 300": lambda: assigned(300),
    "a[mask] = [300, 1]": lambda: assigned([300, 1]),
}.items():
    try:
        refuses()
        refused = False
    except OverflowError:
        refused = True
    assert refused, f"changed: {name}"
PY
echo "as recorded"
