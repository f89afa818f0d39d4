#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: The minimum and maximum that ADIOS2 keeps for each variable, and shows before any data is
#   read, are NaN if a number is NaN, or leave it out.
# Seen: adios2 2.12.1 leaves out true numbers, too: [3, 1, NaN] has the minimum 1 and the maximum
#   1, [NaN, 5, 1] has 5 and 5, [NaN, 1, 3] has 3 and 3. Only [1, NaN, 3] is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  adios2==2.12.1.1001 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import shutil

import adios2
import numpy as np

nan = np.nan
for numbers, expected in (
    ([3, 1, 2], (1, 3)),
    ([1, nan, 3], (1, 3)),
    ([3, 1, nan], (1, 1)),
    ([nan, 1, 3], (3, 3)),
    ([nan, 5, 1], (5, 5)),
):
    shutil.rmtree("a.bp", ignore_errors=True)
    with adios2.Stream("a.bp", "w") as stream:
        stream.write("x", np.array(numbers, float), [3], [0], [3])
    with adios2.FileReader("a.bp") as file:
        variable = file.available_variables()["x"]
        stored = file.read("x").tolist()
    found = (float(variable["Min"]), float(variable["Max"]))
    print(stored, "minimum and maximum:", found)
    assert found == expected, "changed"
PY
echo "as recorded"
