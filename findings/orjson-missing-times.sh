#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: orjson, which writes NaN of NumPy arrays as null, does so with NaT; times of nanoseconds
#   have nine digits.
# Seen: orjson 3.13.0, OPT_SERIALIZE_NUMPY: NaT of datetime64[ns] is "1677-09-21T00:12:43.145224",
#   a time, and nanoseconds are cut to microseconds. float16 is written with the digits of float32.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  orjson==3.13.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import orjson


def text(array):
    return orjson.dumps(array, option=orjson.OPT_SERIALIZE_NUMPY).decode()


for array, expected in (
    (np.array([1.5, np.nan]), "[1.5,null]"),
    (np.array(["NaT"], "M8[ns]"), '["1677-09-21T00:12:43.145224"]'),
    (np.array(["2026-01-01T00:00:00.123456789"], "M8[ns]"), '["2026-01-01T00:00:00.123456"]'),
    (np.array(["1969-12-31T23:59:59.999999999"], "M8[ns]"), '["1969-12-31T23:59:59.999999"]'),
    (np.array([1.1], np.float32), "[1.1]"),
    (np.array([1.1], np.float16), "[1.0996094]"),
):
    print(repr(array), "->", text(array))
    assert text(array) == expected, "changed"
PY
echo "as recorded"
