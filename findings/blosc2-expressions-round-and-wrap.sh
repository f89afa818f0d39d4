#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Lazy expressions and reductions of Blosc2 give what NumPy gives, as its documentation
#   says.
# Seen: blosc2 4.14.1 with NumPy 2.4.6: round(0.5) is 1 and round(2.5) is 3, to NumPy 0 and 2; a -
#   300 of uint8 wraps where NumPy refuses it; the mean of eight 2^63 of uint64 is 0, and their
#   standard deviation 2^63.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  blosc2==4.14.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import blosc2
import numpy as np


def lazy(expression, **arrays):
    arrays = {name: blosc2.asarray(array) for name, array in arrays.items()}
    seen = blosc2.lazyexpr(expression, arrays).compute()[:]
    print(f"{expression}:", seen.dtype, seen.tolist())
    return seen.tolist()


a, b = np.array([1, 2, 200], np.uint8), np.array([-1.5, 2.5, 0.5])
assert lazy("round(b)", b=b) == [-2, 3, 1] and np.round(b).tolist() == [-2, 2, 0], "changed"
assert lazy("a - 300", a=a) == [213, 214, 156], "changed"
try:
    a - 300
    refused = False
except OverflowError:
    refused = True
assert refused, "changed: NumPy"
numbers = np.full(8, 2**63, np.uint64)
array = blosc2.asarray(numbers)
print("2^63, eight times: mean", array.mean(), "standard deviation", array.std())
assert array.mean() == 0 and array.std() == 2.0**63, "changed"
assert numbers.mean() == 2.0**63 and numbers.std() == 0, "changed: NumPy"
PY
echo "as recorded"
