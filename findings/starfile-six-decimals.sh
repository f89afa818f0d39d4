#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: starfile, as the tables of cryo-EM go through it between programs, writes doubles with
#   all their digits, as pandas' own to_csv does.
# Seen: starfile 0.5.13 writes six digits after the point unless float_format is given: 1e-7 is
#   0.000000, and 0.1234567890123 is 0.123457. Integers are kept.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  starfile==0.5.13 pandas==3.1.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import pandas as pd
import starfile

frame = pd.DataFrame({"x": [1e-7, 0.1234567890123, 123456.123456789], "n": [2**53 + 1, 1, 2]})
starfile.write(frame, "a.star")
found = starfile.read("a.star")
print(frame["x"].tolist(), "->", found["x"].tolist())
assert found["x"].tolist() == [0.0, 0.123457, 123456.123457], "changed"
assert found["n"].tolist() == frame["n"].tolist(), "changed"
starfile.write(frame, "b.star", float_format="%.17g")
assert starfile.read("b.star")["x"].tolist() == frame["x"].tolist(), "changed"
frame.to_csv("c.csv", index=False)
assert pd.read_csv("c.csv")["x"].tolist() == frame["x"].tolist(), "changed"
PY
echo "as recorded"
