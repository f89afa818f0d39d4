#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A writer of EDF clips numbers beyond the physical limits, infinity at the greater one,
#   and refuses NaN. Zero stays zero.
# Seen: pyEDFlib 0.1.42 writes NaN and +infinity as the smallest number, -1000; 2000 is clipped to
#   1000. With limits of -1000 and 1000 zero comes back as 0.0153: the 16 bits have no code for
#   it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pyEDFlib==0.1.42 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import pyedflib

numbers = np.array([0, np.inf, np.nan, 2000, -3000], float)
writer = pyedflib.EdfWriter("x.edf", 1, pyedflib.FILETYPE_EDFPLUS)
header = pyedflib.highlevel.make_signal_header(
    "a", sample_frequency=len(numbers), physical_min=-1000, physical_max=1000
)
writer.setSignalHeaders([header])
writer.writeSamples([numbers])
writer.close()
reader = pyedflib.EdfReader("x.edf")
seen = reader.readSignal(0)
reader.close()
print(numbers.tolist(), "->", seen.tolist())
assert np.allclose(seen, [1000 / 65535, -1000, -1000, 1000, -1000], rtol=1e-9), "changed"
PY
echo "as recorded"
