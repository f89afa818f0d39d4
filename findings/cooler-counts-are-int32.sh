#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: a matrix of doubles in a cooler file stays one, or is refused, since its counts are int32.
# Seen: cooler 0.11.0 cuts doubles to integers without a message: 0.9 is 0, -0.9 is 0, NaN is -2^31;
#   2^40 of int64 is 2^31 - 1, and a merge of two files has 2^31 - 1 where the sum is larger. With
#   dtypes={"count": "float64"} doubles are kept.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  cooler==0.11.0 pandas==2.3.3 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import cooler
import numpy as np
import pandas as pd

bins = pd.DataFrame({"chrom": ["c"] * 2, "start": [0, 10], "end": [10, 20]})


def counts(name):
    return cooler.Cooler(name).pixels()[:]["count"]


def write(name, numbers, **options):
    pixels = pd.DataFrame({"bin1_id": [0, 0, 1], "bin2_id": [0, 1, 1], "count": numbers})
    cooler.create_cooler(name, bins, pixels, **options)
    return counts(name)


for numbers, expected in (
    ([0.9, -0.9, 2.5], [0, 0, 2]),
    ([np.nan, 1.0, 1e300], [-(2**31), 1, 2**31 - 1]),
    (np.array([2**40, -(2**40), 7]), [2**31 - 1, -(2**31), 7]),
):
    seen = write("a.cool", numbers)
    print(list(numbers), "->", seen.dtype, seen.tolist())
    assert seen.dtype == np.int32 and seen.tolist() == expected, "changed"
kept = write("b.cool", [0.9, np.nan, 1e300], dtypes={"count": "float64"})
assert kept[0] == 0.9 and np.isnan(kept[1]) and kept[2] == 1e300, "changed"
write("c.cool", [2**31 - 1, 5, 6])
cooler.merge_coolers("d.cool", ["c.cool", "c.cool"], mergebuf=100)
print("two files with", counts("c.cool").tolist(), "merged:", counts("d.cool").tolist())
assert counts("d.cool").tolist() == [2**31 - 1, 10, 12], "changed"
PY
echo "as recorded"
