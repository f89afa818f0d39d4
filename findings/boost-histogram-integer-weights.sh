#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A histogram of integers refuses weights that are no integers, or rounds their sum.
# Seen: boost-histogram 1.8.1 cuts each weight in Int64 and AtomicInt64: four entries of weight 0.7
#   are 0, and of 1.9 are 4. Double and Unlimited say 2.8 and 7.6. NaN of the data are counted with
#   what is beyond the last bin, where numpy.histogram leaves them out.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  boost-histogram==1.8.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python - <<'PY'
import boost_histogram as bh
import numpy as np


def filled(storage, weight):
    made = bh.Histogram(bh.axis.Regular(1, 0, 1), storage=storage)
    made.fill(np.full(4, 0.5), weight=np.full(4, weight))
    return round(float(made.sum()), 9)


for storage, expected in (
    (bh.storage.Int64, [0, 4]),
    (bh.storage.AtomicInt64, [0, 4]),
    (bh.storage.Double, [2.8, 7.6]),
    (bh.storage.Unlimited, [2.8, 7.6]),
):
    seen = [filled(storage(), weight) for weight in (0.7, 1.9)]
    print(storage.__name__, "four entries of weight 0.7 and 1.9:", seen)
    assert seen == expected, "changed"
values = np.array([0.5, np.nan, np.nan])
made = bh.Histogram(bh.axis.Regular(1, 0, 1)).fill(values)
numpy = np.histogram(values[:1], 1, (0, 1))[0].tolist()
print("0.5 and two NaN, below, in and beyond the bins:", made.view(flow=True).tolist(), numpy)
assert made.view(flow=True).tolist() == [0, 1, 2] and numpy == [1], "changed"
PY
echo "as recorded"
