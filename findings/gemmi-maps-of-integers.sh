#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: gemmi writes a CCP4 map of integers by rounding and clipping, or refuses what does not
#   fit.
# Seen: gemmi 0.7.5 cuts and wraps (on x86-64): with mode 0 (int8) 300 is 44, -200 is 56 and 1.9 is
#   1, with mode 6 (uint16) -200 is 65336, and NaN is 0. In MTZ files, whose columns are all
#   float32, a column of type I (integers) holds 16777216 for 16777217.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  gemmi==0.7.5 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import gemmi
import numpy as np

grid = gemmi.FloatGrid(np.array([[[1.9, 300, -200, np.nan]]], np.float32))
grid.set_unit_cell(gemmi.UnitCell(1, 1, 1, 90, 90, 90))
grid.spacegroup = gemmi.SpaceGroup("P 1")
chart = gemmi.Ccp4Map()
chart.grid = grid
for mode, expected in (
    (0, [1, 44, 56, 0]),
    (1, [1, 300, -200, 0]),
    (6, [1, 300, 65336, 0]),
):
    chart.update_ccp4_header(mode)
    chart.write_ccp4_map("a.ccp4")
    seen = np.array(gemmi.read_ccp4_map("a.ccp4").grid).ravel().tolist()
    print(f"mode {mode}: 1.9, 300, -200, NaN -> {seen}")
    assert seen == expected, "changed"
mtz = gemmi.Mtz(with_base=True)
mtz.spacegroup = gemmi.SpaceGroup("P 1")
mtz.set_cell_for_all(gemmi.UnitCell(10, 10, 10, 90, 90, 90))
mtz.add_dataset("d")
mtz.add_column("N", "I")
mtz.set_data(np.array([[1, 2, 3, 16777217]]))
mtz.write_to_file("a.mtz")
seen = float(np.array(gemmi.read_mtz_file("a.mtz"))[0, 3])
print("MTZ, 16777217 ->", seen)
assert seen == 16777216, "changed"
PY
echo "as recorded"
