#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: The cosine distance of SimSIMD does not depend on the length of the vectors, but for
#   overflow, which gives NaN or infinity; NaN in a vector gives NaN. Sums of int8 do not
#   overflow.
# Seen: simsimd 6.5.16 on a processor with AVX2, without AVX-512: numbers of 1e20 in float32 and
#   1e160 in float64, or below 1e-24, make the distance of opposite vectors 0, as if they were
#   equal, and 1e19 makes it 1, also between equal ones. A vector with NaN is at 1. The inner
#   product of 200000 times -128 with itself is -1018167296. Its successor, numkong 7.8.6, has 2
#   and NaN; its products wrap too.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  simsimd==6.5.16 numkong==7.8.6 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numkong
import numpy as np
import simsimd

for kind, number, opposite, same in (
    (np.float32, 1, 2, 0),
    (np.float32, 1e19, 1, 1),
    (np.float32, 1e20, 0, 0),
    (np.float32, 1e-25, 0, 0),
    (np.float64, 1e160, 0, 0),
):
    vector = np.full(16, number, kind)
    seen = simsimd.cosine(vector, -vector), simsimd.cosine(vector, vector)
    other = numkong.angular(vector, -vector)
    print(f"{number:g} of {kind.__name__}: opposite {seen[0]:.3g}, same {seen[1]:.3g};", other)
    assert np.allclose(seen, (opposite, same), atol=1e-6), "changed"
    assert np.isclose(other, 2) or (kind == np.float64 and np.isnan(other)), "changed"
ones = np.ones(16, np.float32)
with_nan = ones.copy()
with_nan[0] = np.nan
print("to a vector with NaN:", simsimd.cosine(ones, with_nan), numkong.angular(ones, with_nan))
assert simsimd.cosine(ones, with_nan) == 1 and np.isnan(numkong.angular(ones, with_nan)), "changed"
for kind, number in ((np.int8, -128), (np.uint8, 255)):
    vector = np.full(200000, number, kind)
    right = 200000 * number**2
    seen, other = int(simsimd.inner(vector, vector)), int(numkong.inner(vector, vector))
    print(f"200000 times {number}: the product is {right}, seen {seen} and {other}")
    assert seen != right and (seen - right) % 2**32 == 0, "changed"
    assert other == seen, "changed"
PY
echo "as recorded"
