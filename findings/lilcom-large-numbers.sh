#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: lilcom rounds to multiples of 2^tick_power, as its documentation says, so a number is off
#   by half of that at most; one that does not fit is refused.
# Seen: lilcom 1.8.2: numbers of 2^31 ticks and more are cut, without a message. With the default
#   tick_power=-8 that is from 2^23 on: a constant of 1e9 comes back as a ramp of multiples of
#   8388608. NaN is refused.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  lilcom==1.8.2 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import lilcom
import numpy as np


def round_trip(numbers, **options):
    return lilcom.decompress(lilcom.compress(np.asarray(numbers, np.float32), **options))


seen = round_trip([1e9] * 4)
print("1e9, four times ->", seen)
assert seen.tolist() == [8388608, 16777216, 25165824, 33554432], "changed"
seen = round_trip([1e9] * 4, tick_power=0)
print("1e9, four times, tick_power=0 ->", seen)
assert seen.tolist() == [1e9] * 4, "changed"
for power in (-8, -4, 0):
    first = next(k for k in range(16, 40) if round_trip([2.0**k, 1], tick_power=power)[0] != 2.0**k)
    print(f"tick_power={power}: the first power of two that changes is 2^{first}")
    assert first == 31 + power, "changed"
numbers = [1, 1e9, 1, 1]
seen = round_trip(numbers, do_regression=False)
print(numbers, "->", seen)
assert seen[0] == 1 and seen[1] < 1e7, "changed"
try:
    round_trip([1, np.nan])
    refused = False
except ValueError:
    refused = True
assert refused, "changed"
PY
echo "as recorded"
