#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: nixio refuses to append numbers that do not fit the type of a data array, as NumPy
#   refuses to assign them, or wraps them.
# Seen: nixio 1.5.4: 1.7 appended to integers is 1, NaN is -2147483648 in int32, 300 is 127 in
#   int8, -1 is 0 in uint8, without a message.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  nixio==1.5.4 h5py==3.16.0 packaging==26.4 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import nixio
import numpy as np


def appended(first, numbers):
    with nixio.File.open("a.nix", nixio.FileMode.Overwrite) as file:
        array = file.create_block("b", "t").create_data_array("a", "t", data=first)
        array.append(np.array(numbers))
        return array[:]


for kind, numbers, expected in (
    (np.int64, [1.7, -1.7], [1, -1]),
    (np.int32, [np.nan, 1e30], [-(2**31), 2**31 - 1]),
    (np.int8, [300, -300], [127, -128]),
    (np.uint8, [-1, 256], [0, 255]),
):
    seen = appended(np.array([1, 2], kind), numbers)
    print(f"{kind.__name__}: 1, 2 and then {numbers} -> {seen.tolist()}")
    assert seen.dtype == kind and seen.tolist() == [1, 2, *expected], "changed"
PY
echo "as recorded"
