#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: ASE's own binary trajectory (.traj) and its database keep all arrays of the atoms exactly;
#   the text format loses some.
# Seen: ase 3.29.0: an own array of the atoms is left out by .traj, JSON and the SQLite database,
#   without a message, and kept by the text of extended XYZ, with eight decimals: 1e-9 is 0. What
#   is in `info` is kept by .traj and extended XYZ, and left out by the other two.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  ase==3.29.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import ase.io
import numpy as np
from ase import Atoms

for name, keeps_arrays, keeps_info, keeps_digits in (
    ("traj", False, True, True),
    ("json", False, False, True),
    ("db", False, False, True),
    ("extxyz", True, True, False),
):
    atoms = Atoms("H2", positions=[[0, 0, 0], [0.123456789012, 0, 1]])
    atoms.set_initial_charges([0.1, 1 / 3])
    atoms.new_array("weights", np.array([1e-9, 0.123456789012]))
    atoms.info["energy_offset"] = 0.1 + 0.2
    ase.io.write("a." + name, atoms, format=name)
    seen = ase.io.read("a." + name, format=name)
    print(f"{name}: arrays {sorted(seen.arrays)}, info {dict(seen.info)}, {seen.positions[1]}")
    assert ("weights" in seen.arrays) == keeps_arrays, "changed"
    assert ("energy_offset" in seen.info) == keeps_info, "changed"
    assert np.array_equal(seen.positions, atoms.positions) == keeps_digits, "changed"
    assert ("initial_charges" in seen.arrays), "changed"
    if keeps_arrays:
        print("weights", atoms.arrays["weights"], "->", seen.arrays["weights"])
        assert seen.arrays["weights"].tolist() == [0, 0.12345679], "changed"
PY
echo "as recorded"
