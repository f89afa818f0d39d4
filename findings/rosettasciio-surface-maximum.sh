#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: a surface of floats in Digital Surf's format has 32-bit steps from its minimum to its
#   maximum, so every number comes back nearly as it was.
# Seen: rosettasciio 0.15.0: the maximum of a float32 surface comes back as the minimum, since the
#   last step does not fit int32 in float32. All of a float16 surface is the minimum, as is what is
#   NaN; with one infinity all is NaN. All of a constant float64 surface is -2147483648 (int32).
#   float64 is right otherwise.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  rosettasciio==0.15.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from rsciio import digitalsurf


def round_trip(rows, dtype):
    array = np.array(rows, dtype)
    axes = [
        dict(name=axis, size=size, offset=0.0, scale=1.0, units="", navigate=False,
             index_in_array=i)
        for i, (axis, size) in enumerate(zip("yx", array.shape))
    ]
    signal = dict(
        data=array, axes=axes, original_metadata={}, attributes={"_lazy": False},
        metadata={"General": {"title": "t"}, "Signal": {"signal_type": ""}},
        learning_results={}, package="hyperspy", package_version="2",
    )
    digitalsurf.file_writer("a.sur", signal)
    return digitalsurf.file_reader("a.sur")[0]["data"]


nan, inf = np.nan, np.inf
for dtype, rows, expected in (
    ("float64", [[0.5, 1.25], [2, 3]], [[0.5, 1.25], [2, 3]]),
    ("float32", [[0.5, 1.25], [2, 3]], [[0.5, 1.25], [2, 0.5]]),
    ("float32", [[0.5, 1.25], [2, nan]], [[0.5, 1.25], [0.5, 0.5]]),
    ("float32", [[0.5, 1.25], [2, inf]], [[nan, nan], [nan, nan]]),
    ("float16", [[0.5, 1.25], [2, 3]], [[0.5, 0.5], [0.5, 0.5]]),
    ("float64", [[1, 1], [1, 1]], [[-(2**31)] * 2] * 2),
):
    seen = round_trip(rows, dtype)
    print(f"{dtype}: {rows} -> {seen.dtype}", seen.tolist())
    assert np.allclose(seen, expected, atol=1e-6, rtol=0, equal_nan=True), "changed"
PY
echo "as recorded"
