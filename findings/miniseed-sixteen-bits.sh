#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: samples that do not fit miniSEED's 16-bit encoding are refused, as pymseed refuses a
#   difference that does not fit Steim 2; int16 samples fit Steim, which has 32 bits.
# Seen: pymseed 1.0.1 (libmseed) writes the low 16 bits: 40000 is -25536, 2147483647 is -1, without
#   a message. simplemseed 1.0.2 subtracts int16 arrays in int16 when it encodes Steim 1 and 2:
#   -32768 and 32767 come back as -32768 and -32769, and so do all later samples, which are off
#   by 65536; NumPy's RuntimeWarning is all one sees. The same numbers as int32 are kept.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pymseed==1.0.1 simplemseed==1.0.2 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import simplemseed
from pymseed import DataEncoding, MiniSEEDError, MS3TraceList


def by_pymseed(samples, encoding):
    traces = MS3TraceList()
    traces.add_data(
        sourceid="FDSN:XX_S__B_H_Z", data_samples=samples, sample_type="i", sample_rate=1.0,
        starttime_str="2024-01-01T00:00:00Z",
    )
    records = b"".join(bytes(record) for record in traces.generate(encoding=encoding))
    read = MS3TraceList.from_buffer(records, unpack_data=True)
    return [int(sample) for sample in next(iter(next(iter(read)))).datasamples]


samples = [5, 40000, 2**31 - 1, -(2**31), 70000]
seen = by_pymseed(samples, DataEncoding.INT16)
print("pymseed, INT16:", samples, "->", seen)
assert seen == [5, -25536, -1, 0, 4464], "changed"
assert by_pymseed(samples, DataEncoding.INT32) == samples, "changed"
try:
    by_pymseed(samples, DataEncoding.STEIM2)
    refused = False
except MiniSEEDError:
    refused = True
assert refused, "changed"

numbers = [-32768, 32767, 0, 1]
for name in ("Steim1", "Steim2"):
    for dtype, expected in (("int16", [-32768, -32769, -65536, -65535]), ("int32", numbers)):
        encoded = getattr(simplemseed, "encode" + name)(np.array(numbers, dtype))
        seen = getattr(simplemseed, "decode" + name)(encoded, len(numbers), 0).tolist()
        print(f"simplemseed, {name}, {dtype}: {numbers} ->", seen)
        assert seen == expected, "changed"
PY
echo "as recorded"
