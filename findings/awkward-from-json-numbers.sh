#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: ak.from_json reads the numbers that ak.to_json or Python wrote, and refuses integers
#   beyond 64 bits.
# Seen: awkward 2.14.0: 2^63 is -2^63 and 2^64 - 1 is -1, no error; of 1000 normal random doubles
#   in shortest digits 1 of 10 comes back changed in the last bit, as with its own to_json. One
#   number with a point makes all of a list doubles.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  awkward==2.14.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import json

import awkward as ak
import numpy as np

for number, expected in ((2**63 - 1, 2**63 - 1), (2**63, -(2**63)), (2**64 - 1, -1)):
    seen = ak.from_json(f"[{number}]").tolist()
    print(f"{number} -> {seen}")
    assert seen == [expected], "changed"
numbers = np.random.default_rng(1).normal(size=1000)
for name, text in (
    ("Python", json.dumps(numbers.tolist())),
    ("to_json", ak.to_json(ak.Array(numbers))),
):
    back = np.asarray(ak.from_json(text))
    changed = int((back != numbers).sum())
    print(f"text by {name}: {changed} of 1000 changed")
    assert np.abs(back.view(np.int64) - numbers.view(np.int64)).max() == 1, "changed"
    assert json.loads(text) == numbers.tolist() and 50 < changed < 200, "changed"
seen = ak.from_json("[9007199254740993, 0.5]").tolist()
print("2^53 + 1 beside 0.5 ->", seen)
assert seen == [2.0**53, 0.5], "changed"
PY
echo "as recorded"
