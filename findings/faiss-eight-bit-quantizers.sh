#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: faiss clips what does not fit the 8 bits of a scalar quantizer, and one NaN spoils its own
#   vector only.
# Seen: faiss-cpu 1.15.1: QT_8bit clips, but QT_8bit_direct wraps and cuts: 300 is 44, -1 is 255,
#   1.9 is 1; QT_8bit_direct_signed makes 44 and 56 of 300 and -200. A NaN in the first training
#   vector makes its dimension NaN for every vector that is stored later; in another one it does
#   nothing.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  faiss-cpu==1.15.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import faiss
import numpy as np

rng = np.random.default_rng(1)
training = rng.normal(size=(300, 4)).astype(np.float32)


def stored(name, train, vector):
    quantizer = faiss.ScalarQuantizer(4, getattr(faiss.ScalarQuantizer, name))
    quantizer.train(train)
    row = np.array([vector], np.float32)
    return quantizer.decode(quantizer.compute_codes(row))[0]


vector = [300, -200, 1.9, -1]
for name, expected in (
    ("QT_8bit_direct", [44, 56, 1, 255]),
    ("QT_8bit_direct_signed", [44, 56, 1, -1]),
):
    seen = stored(name, training, vector).tolist()
    print(f"{name}: {vector} -> {seen}")
    assert seen == expected, "changed"
clipped = stored("QT_8bit", training, vector)
print(f"QT_8bit: {vector} ->", clipped.tolist())
assert abs(clipped[0] - training[:, 0].max()) < 0.05, "changed"
for row in (0, 7):
    with_nan = training.copy()
    with_nan[row, 2] = np.nan
    seen = stored("QT_8bit", with_nan, [0.5, 0.5, 0.5, 0.5])
    print(f"QT_8bit, NaN in training vector {row}:", seen.tolist())
    assert np.isnan(seen).tolist() == [False, False, row == 0, False], "changed"
PY
echo "as recorded"
