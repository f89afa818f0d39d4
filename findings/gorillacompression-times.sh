#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Times that do not fit the format of Gorilla are refused.
# Seen: gorillacompression 1.0.2 leaves them out with a warning: of [1000, 2000, 3000, 10] three
#   come back, of times in milliseconds (2^40) none. Values keep all bits.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  gorillacompression==1.0.2 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
from gorillacompression import TimestampsDecoder, TimestampsEncoder

for times, expected in (
    ([1600000000, 1600000060, 1700000000], [1600000000, 1600000060, 1700000000]),
    ([1000, 2000, 3000, 10], [1000, 2000, 3000]),
    ([1 << 40, (1 << 40) + 60], []),
):
    seen = TimestampsDecoder.decode_all(TimestampsEncoder.encode_all(times))
    print(times, "->", seen)
    assert seen == expected, "changed"
PY
echo "as recorded"
