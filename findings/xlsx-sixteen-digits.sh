#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: A double that is written to an .xlsx file, which holds numbers as text, comes back: 17
#   digits are enough.
# Seen: openpyxl 3.1.5 and XlsxWriter 3.3.1 write 16 digits: 0.1 + 0.2 is read as 0.3, and of 1000
#   normal random numbers 4 of 10 come back changed, through pandas 3.1.1 and polars 2.1.0, too.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  openpyxl==3.1.5 xlsxwriter==3.3.1 pandas==3.1.1 polars==2.1.0 pyarrow==26.0.1 \
  numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import openpyxl
import pandas as pd
import polars as pl

numbers = np.random.default_rng(1).normal(size=1000)
numbers[0] = 0.1 + 0.2


def by_pandas(engine):
    pd.DataFrame({"x": numbers}).to_excel("a.xlsx", engine=engine, index=False)


def by_polars(_):
    pl.DataFrame({"x": numbers}).write_excel("a.xlsx")


for name, write in (("openpyxl", by_pandas), ("xlsxwriter", by_pandas), ("polars", by_polars)):
    write(name)
    rows = openpyxl.load_workbook("a.xlsx").active.iter_rows(min_row=2, values_only=True)
    back = np.array([row[0] for row in rows])
    changed = int((back != numbers).sum())
    print(f"{name}: 0.30000000000000004 -> {back[0]}; {changed} of 1000 changed")
    assert back[0] == 0.3 and changed > 300, "changed"
PY
echo "as recorded"
