#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: a frame of datatable holds every number of an integer type; CSV gives doubles back exactly.
# Seen: datatable 1.1.0 takes the least number of int8 to int64 as missing, also where a sum wraps:
#   -128 from NumPy is None, and so is 2^62 + 2^62. Columns of integers beyond 64 bits' positive
#   half, and all columns beside a -2^63 of their own, become text in fread. Of 200,000 random
#   doubles over 600 powers of ten, to_csv writes hundreds that read back as a neighbour, and fread
#   reads dozens so.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check datatable==1.1.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import datatable
import numpy as np

for kind in ("int8", "int16", "int32", "int64"):
    least = np.iinfo(kind).min
    found = datatable.Frame(a=np.array([least, least + 1], kind)).to_list()[0]
    print(kind, "least ->", found)
    assert found == [None, least + 1], "changed"
total = datatable.Frame(a=np.array([2**62, 2**62])).sum().to_list()[0][0]
print("2^62 + 2^62 ->", total)
assert total is None, "changed"
read = datatable.fread(text="a\n-9223372036854775808\n1\n")
print("fread of -2^63 and 1:", read.stypes, read.to_list())
assert read.to_list() == [["-9223372036854775808", "1"]], "changed"

random = np.random.default_rng(1)
numbers = random.random(200_000) * 10.0 ** random.integers(-300, 300, 200_000)
with open("exact.csv", "w") as file:
    file.write("a\n" + "\n".join(map(repr, map(float, numbers))) + "\n")
wrong_in = int((datatable.fread("exact.csv").to_numpy().ravel() != numbers).sum())
datatable.Frame(a=numbers).to_csv("written.csv")
with open("written.csv") as file:
    written = np.array([float(text) for text in file.read().split()[1:]])
wrong_out = int((written != numbers).sum())
print("doubles read wrong", wrong_in, "written wrong", wrong_out, "of", len(numbers))
assert 0 < wrong_in < 1000 < wrong_out < 5000, "changed"
PY
echo "as recorded"
