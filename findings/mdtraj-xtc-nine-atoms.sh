#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: coordinates in XTC are rounded to 0.001 nm, and NaN is refused.
# Seen: mdtraj 1.11.1.post2: frames of up to nine atoms are not rounded at all, frames of ten are:
#   0.12345678 is 0.123, 1e-5 is 0. NaN and infinity of nine atoms are kept as they are. So a test
#   with a small molecule does not show what is lost.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  mdtraj==1.11.1.post2 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import mdtraj
import numpy as np


def round_trip(x):
    topology = mdtraj.Topology()
    residue = topology.add_residue("A", topology.add_chain())
    for _ in x:
        topology.add_atom("C", mdtraj.element.carbon, residue)
    positions = np.zeros((1, len(x), 3), np.float32)
    positions[0, :, 0] = x
    mdtraj.Trajectory(positions, topology).save("a.xtc")
    return mdtraj.load("a.xtc", top=topology).xyz[0, :, 0]


numbers = np.append(np.float32([0.12345678, 1e-5]), np.arange(3, 13)).astype(np.float32)
for count, exact in ((9, True), (10, False), (12, False)):
    seen = round_trip(numbers[:count])
    print(f"{count} atoms: {numbers[:2]} ->", seen[:2])
    assert np.array_equal(seen, numbers[:count]) == exact, "changed"
    assert np.allclose(seen, numbers[:count], atol=0.00051), "changed"
nine = numbers[:9].copy()
nine[:2] = np.nan, np.inf
assert round_trip(nine).tobytes() == nine.tobytes(), "changed"
PY
echo "as recorded"
