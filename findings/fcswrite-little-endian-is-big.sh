#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: fcswrite with endianness="little" writes little-endian floats.
# Seen: fcswrite 0.6.4 writes them big-endian and says $BYTEORD 1,2,3,4, little-endian: FlowIO
#   1.4.0 reads 1.5 as 6.9e-41. The default, "big", is right. 2^24 + 1 is 2^24, since the file has
#   float32; -0.0 is kept.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  fcswrite==0.6.4 FlowIO==1.4.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import fcswrite
import flowio
import numpy as np

numbers = np.array([[1.5, 2.0], [2.0**24 + 1, -0.0]])
for order, byte_order, expected in (
    ("big", "4,3,2,1", numbers.astype(np.float32)),
    ("little", "1,2,3,4", numbers.astype(">f4").view("<f4")),
):
    fcswrite.write_fcs("a.fcs", ["a", "b"], numbers, endianness=order)
    data = flowio.FlowData("a.fcs")
    seen = data.as_array()
    print(f"{order}: $BYTEORD {data.text['byteord']}, {numbers.tolist()} -> {seen.tolist()}")
    assert data.text["byteord"] == byte_order, "changed"
    assert np.array_equal(seen, expected.astype(np.float64)), "changed"
    with open("a.fcs", "rb") as file:
        assert np.array([1.5, 2], ">f4").tobytes() in file.read(), "changed"
PY
echo "as recorded"
