#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: a client that takes data frames, a trajectory format and a writer of microscope files swap
#   the bytes of big-endian numbers, or refuse them.
# Seen: questdb 6.0.0 (data frame), ase 3.29.0 (ULM, the format of .traj and GPAW) and rosettasciio
#   0.15.0 (Semper) write the bytes as they are, and say little-endian: 1 of '>i4' is 16777216, 2.0
#   of '>f8' is 3.16e-322. None of them warns. rosettasciio's Ripple files are right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  questdb==6.0.0 ase==3.29.0 rosettasciio==0.15.0 pandas==3.1.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import pandas as pd
import questdb.ingress
from ase.io.ulm import open as open_ulm
from rsciio import ripple, semper


def by_questdb(array):
    buffer = questdb.ingress.Buffer(protocol_version=1)
    frame = pd.DataFrame({"a": array})
    buffer.dataframe(frame, table_name="t", at=questdb.ingress.TimestampNanos(1))
    lines = bytes(buffer).decode().splitlines()
    return [float(line.split("=")[1].split()[0].rstrip("i")) for line in lines]


def by_ulm(array):
    with open_ulm("a.ulm", "w") as file:
        file.write(a=array)
    return open_ulm("a.ulm").a.tolist()


def by_rsciio(module, name):
    def round_trip(array):
        axes = [
            dict(name=axis, size=size, offset=0.0, scale=1.0, units="", navigate=False,
                 index_in_array=i)
            for i, (axis, size) in enumerate(zip("yx", (1, array.size)))
        ]
        signal = dict(
            data=array.reshape(1, -1), axes=axes, original_metadata={}, attributes={"_lazy": False},
            metadata={"General": {"title": "t"}, "Signal": {"signal_type": ""}},
            learning_results={}, package="", package_version="",
        )
        module.file_writer(name, signal)
        return module.file_reader(name)[0]["data"].reshape(-1).tolist()

    return round_trip


for name, round_trip, types, swapped in (
    ("questdb", by_questdb, "if", True), ("ase", by_ulm, "if", True),
    ("rosettasciio, Semper", by_rsciio(semper, "a.unf"), "i", True),
    ("rosettasciio, Ripple", by_rsciio(ripple, "a.rpl"), "if", False),
):
    for kind in types:
        array = np.array([1, 2, 258], {"i": ">i4", "f": ">f8"}[kind])
        seen = round_trip(array)
        print(f"{name}: {array.tolist()} of {array.dtype.str} ->", seen)
        expected = array.view(array.dtype.newbyteorder("<")) if swapped else array
        assert np.array_equal(seen, expected), "changed"
        native = array.astype(array.dtype.newbyteorder("="))
        assert np.array_equal(round_trip(native), native), "changed"
PY
echo "as recorded"
