#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A sketch of quantiles takes the same numbers one by one and as an array.
# Seen: datasketches 5.2.0: kll_ints_sketch refuses 2^40 and 1.7, but of an array of int64 it takes
#   the low 32 bits, so that the maximum of [2^40 + 7, 5] is 7, and of floats the integer part.
#   Arrays of uint32 wrap to negative numbers. Sketches of distinct values count 1 and 1.0 as two.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  datasketches==5.2.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python - <<'PY'
import datasketches as ds
import numpy as np


def extremes(values):
    sketch = ds.kll_ints_sketch(200)
    sketch.update(values)
    return sketch.get_min_value(), sketch.get_max_value()


for value in (2**40 + 7, 1.7):
    try:
        extremes(value)
    except TypeError:
        print(value, "alone: refused")
    else:
        raise AssertionError("changed")
for values, expected in (
    (np.array([2**40 + 7, 5]), (5, 7)),
    (np.array([1.7, -2.5]), (-2, 1)),
    (np.array([2**32 - 1, 5], np.uint32), (-1, 5)),
):
    seen = extremes(values)
    print(values.dtype, values.tolist(), "as an array: least and greatest", seen)
    assert seen == expected, "changed"
for make in (ds.update_theta_sketch, lambda: ds.hll_sketch(12)):
    sketch = make()
    for value in (1, 1.0):
        sketch.update(value)
    print(type(sketch).__name__, "of 1 and 1.0:", round(sketch.get_estimate()))
    assert round(sketch.get_estimate()) == 2, "changed"
PY
echo "as recorded"
