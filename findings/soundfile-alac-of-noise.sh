#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: ALAC is lossless: what comes back of 32-bit integers are the same integers, as of FLAC or
#   PCM.
# Seen: soundfile 0.14.0 (libsndfile): a smooth signal comes back, noise comes back 256 times as
#   large and wrapped, with no error but a line on the terminal.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  soundfile==0.14.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import soundfile

print(soundfile.__libsndfile_version__)
smooth = (np.sin(np.arange(20000) / 50) * 2**30).astype(np.int32)
noise = np.random.default_rng(0).integers(-(2**31), 2**31, 20000).astype(np.int32)
for name, array in (("smooth", smooth), ("noise", noise)):
    soundfile.write("a.caf", array, 8000, format="CAF", subtype="ALAC_32")
    seen, _ = soundfile.read("a.caf", dtype="int32")
    print(name, array[1:4].tolist(), "->", seen[1:4].tolist(), "equal:", (seen == array).mean())
    expected = array if name == "smooth" else array << 8
    assert (seen == expected).mean() > 0.99, "changed"
PY
echo "as recorded"
