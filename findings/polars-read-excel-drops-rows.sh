#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: polars.read_excel keeps the rows of a sheet; a text or a number below the rows from which
#   it takes the type is null, or refused, as by read_csv.
# Seen: polars 2.1.0 with fastexcel 0.21.0: in a sheet of one column the row of a text behind 1000
#   numbers is gone, as are empty cells: 1502 rows are 1501, and all below move up
#   (drop_empty_rows=True). With a second column it is null. Behind 1000 booleans 5 and 0.5 are
#   true.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  polars==2.1.0 fastexcel==0.21.0 xlsxwriter==3.3.1 pyarrow==26.0.1 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import polars as pl
import xlsxwriter


def sheet(*columns):
    book = xlsxwriter.Workbook("a.xlsx")
    page = book.add_worksheet()
    for place, column in enumerate(columns):
        page.write_column(0, place, ["abc"[place], *column])
    book.close()
    return pl.read_excel("a.xlsx")


numbers = [1] * 1500 + ["n/a?", 2]
seen = sheet(numbers)["a"]
print("1500 numbers, a text, 2 ->", len(seen), "rows, the last", seen[-2:].to_list())
assert len(seen) == 1501 and seen[-2:].to_list() == [1, 2], "changed"
kept = pl.read_excel("a.xlsx", drop_empty_rows=False)["a"]
assert len(kept) == 1502 and kept[-2:].to_list() == [None, 2], "changed"
seen = sheet(numbers, range(1502))
print("with a second column:", seen[-2:].rows())
assert seen.height == 1502 and seen[-2:].rows() == [(None, 1500), (2, 1501)], "changed"
seen = sheet([1.5, None, 2.5])["a"].to_list()
print("1.5, empty, 2.5 ->", seen)
assert seen == [1.5, 2.5], "changed"
seen = sheet([True] * 1500 + [5, 0.5, 0])["a"]
print("1500 times true, 5, 0.5, 0 ->", seen.dtype, seen[-3:].to_list())
assert seen[-3:].to_list() == [True, True, False], "changed"
PY
echo "as recorded"
