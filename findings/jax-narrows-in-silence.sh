#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: jax.numpy.asarray of an int64 array keeps its numbers, or warns when it makes int32 of
#   them; casts treat all numbers alike.
# Seen: jax 0.10.2 with its default of 32 bits: int64 2^40 + 5 is 5, uint64 2^63 + 3 is 3, no
#   warning. Integers wrap, while floats are clipped: 300 to uint8 is 44, 300.7 is 255, NaN 0. On
#   CPUs 1e-40 is not greater than 0, and + 0 makes it 0, though asarray keeps its bits.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import warnings

import jax.numpy as jnp
import numpy as np

warnings.simplefilter("error")
for numbers, expected in (
    (np.array([2**40 + 5, 2**31]), [5, -(2**31)]),
    (np.array([2**63 + 3], np.uint64), [3]),
):
    seen = jnp.asarray(numbers)
    print(f"{numbers} ({numbers.dtype}) -> {seen.tolist()} ({seen.dtype})")
    assert seen.tolist() == expected, "changed"
whole = jnp.asarray(np.array([300, -5], np.int32)).astype(jnp.uint8).tolist()
real = jnp.asarray(np.array([300.7, -5, np.nan], np.float32)).astype(jnp.uint8).tolist()
print("300, -5 as uint8:", whole, "; 300.7, -5.0, NaN:", real)
assert (whole, real) == ([44, 251], [255, 0, 0]), "changed"
tiny = np.array([1e-40], np.float32)
array = jnp.asarray(tiny)
seen = bool((array > 0)[0]), float((array + 0)[0]), bool((np.asarray(array) == tiny)[0])
print("1e-40: > 0, + 0, bits kept:", seen)
assert seen == (False, 0.0, True), "changed"
PY
echo "as recorded"
