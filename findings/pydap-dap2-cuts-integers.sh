#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: pydap's server, whose DAP2 has no integers of 64 bits, refuses them or sends them as
#   Float64.
# Seen: pydap 3.5.9: they are sent as Int32 and UInt32 with the low bits: 2^40 + 5 of int64 is 5,
#   2^63 of uint64 is 0, without a message. int8 is sent as Int16; float16 and complex raise
#   KeyError.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pydap==3.5.9 webob==1.8.11 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
from pydap.client import open_url
from pydap.handlers.lib import BaseHandler
from pydap.model import BaseType, DatasetType


def sent(numbers):
    dataset = DatasetType("d")
    dataset["x"] = BaseType("x", numbers)
    # The application is called in this process: nothing goes over the network.
    url = "http://localhost:8001/"
    return np.asarray(open_url(url, application=BaseHandler(dataset), protocol="dap2")["x"].data[:])


for numbers, kind, expected in (
    (np.array([2**40 + 5, 1]), np.int32, [5, 1]),
    (np.array([-(2**31) - 1]), np.int32, [2**31 - 1]),
    (np.array([2**63, 2**32 + 7], np.uint64), np.uint32, [0, 7]),
    (np.array([-5, 127], np.int8), np.int16, [-5, 127]),
    (np.array([1.5, np.inf]), np.float64, [1.5, np.inf]),
):
    seen = sent(numbers)
    print(f"{numbers.dtype} {numbers.tolist()} -> {seen.dtype} {seen.tolist()}")
    assert seen.dtype.newbyteorder("=") == kind and seen.tolist() == expected, "changed"
for kind in (np.float16, np.complex128):
    try:
        sent(np.array([1.5], kind))
        refused = False
    except KeyError:
        refused = True
    assert refused, "changed"
PY
echo "as recorded"
