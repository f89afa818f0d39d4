#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: BinaryCIF's interval quantization clips what lies outside the interval to its ends, and
#   refuses NaN, as the fixed point encoding does. compress() of biotite chooses among encodings
#   and keeps the numbers, as its name says.
# Seen: biotite 1.6.0: with the interval 0 to 10 in 101 steps NaN, infinity and 1e30 become 10.1,
#   above the interval; the fixed point encoding refuses them. compress() is lossy by default
#   (atol=1e-4): 1e-7 is 0, -0.0 is 0, 1/3 is 0.3333; with one NaN in the column all numbers are
#   exact.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  biotite==1.6.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from biotite.structure.io import pdbx


def round_trip(data):
    return pdbx.BinaryCIFData.deserialize(data.serialize()).array


numbers = np.array([1.5, np.nan, np.inf, 1e30, 10.0, -5.0])
interval = pdbx.IntervalQuantizationEncoding(0.0, 10.0, 101)
seen = round_trip(pdbx.BinaryCIFData(numbers, [interval, pdbx.ByteArrayEncoding()]))
print(numbers.tolist(), "->", seen.tolist())
assert np.allclose(seen, [1.5, 10.1, 10.1, 10.1, 10, 0]), "changed"
for number in (np.nan, np.inf, 1e30):
    fixed = pdbx.FixedPointEncoding(1000)
    try:
        round_trip(pdbx.BinaryCIFData(np.array([number, 1]), [fixed, pdbx.ByteArrayEncoding()]))
        refused = False
    except ValueError:
        refused = True
    assert refused, "changed"
for numbers, expected in (
    ([1e-7, 2e-7, 3e-7] * 100, [0, 0, 0]),
    ([1 / 3] * 300, [0.3333] * 3),
    ([-0.0] + [1.5] * 300, [0, 1.5, 1.5]),
    ([np.nan, 1e-7, 1 / 3] * 100, [np.nan, 1e-7, 1 / 3]),
):
    seen = round_trip(pdbx.compress(pdbx.BinaryCIFData(np.array(numbers))))[:3]
    print("compress:", numbers[:3], "->", seen.tolist())
    assert np.array_equal(seen, expected, equal_nan=True), "changed"
    assert not np.signbit(seen).any(), "changed"
PY
echo "as recorded"
