#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Writing a trace leaves the array of the caller as it was.
# Seen: segyio 1.9.14, in files of IBM floats (format 1, the default), converts in the caller's
#   float32 array and back: afterwards 0.1 there is 0.09999996 and -0.0 is 0.0. A read-only array
#   is copied and stays, as do float64 arrays and files of format 5.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  segyio==1.9.14 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import segyio


def after_writing(numbers, form):
    spec = segyio.spec()
    spec.format, spec.sorting, spec.samples = form, 2, np.arange(3.0)
    spec.ilines = spec.xlines = [1]
    with segyio.create("x.sgy", spec) as file:
        file.trace[0] = numbers
    return numbers


start = np.array([0.1, 1 / 3, -0.0], np.float32)
read_only = start.copy()
read_only.flags.writeable = False
for name, array, form, same in (
    ("float32, format 1", start.copy(), 1, False),
    ("read-only, format 1", read_only, 1, True),
    ("float64, format 1", start.astype(np.float64), 1, True),
    ("float32, format 5", start.copy(), 5, True),
):
    before = array.tobytes()
    seen = after_writing(array, form)
    print(f"{name}: {seen.tolist()}")
    assert (seen.tobytes() == before) == same, "changed"
    if not same:
        assert seen.tolist() == [0.09999996423721313, 0.3333333134651184, 0], "changed"
        assert not np.signbit(seen[2]), "changed"
PY
echo "as recorded"
