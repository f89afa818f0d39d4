#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: openPMD-api writes NaN to JSON as a null or a word that it reads again, or refuses it
#   when writing.
# Seen: openpmd-api 0.17.1 writes null, and then reads no number of that dataset: "The given path
#   does not contain a valid dataset". Finite numbers, also of 64 bits, are exact; TOML, HDF5 and
#   ADIOS2 of the same package keep NaN.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  openpmd-api==0.17.1.post4 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import openpmd_api as io


def write(name, numbers):
    series = io.Series(name, io.Access.create)
    field = series.iterations[0].meshes["E"]["x"]
    field.reset_dataset(io.Dataset(numbers.dtype, numbers.shape))
    field.store_chunk(numbers)
    series.close()


def read(name):
    series = io.Series(name, io.Access.read_only)
    found = series.iterations[0].meshes["E"]["x"].load_chunk()
    series.flush()
    return found


large = np.array([2**64 - 1, 2**53 + 1, 0], np.uint64)
write("large.json", large)
assert read("large.json").tolist() == large.tolist(), "changed"
numbers = np.array([1.0, np.nan, 3.0])
for name in ("a.toml", "a.h5"):
    write(name, numbers)
    assert np.array_equal(read(name), numbers, equal_nan=True), "changed"
write("a.json", numbers)
with open("a.json") as file:
    assert "null" in file.read(), "changed"
try:
    read("a.json")
except Exception as error:
    print(f"{type(error).__name__}: {error}".splitlines()[0])
else:
    raise AssertionError("changed")
PY
echo "as recorded"
