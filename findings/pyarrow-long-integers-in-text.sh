#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Integers beyond 63 bits in CSV or JSON are read as uint64, decimals or text, or are
#   refused.
# Seen: pyarrow 26.0.1 reads a whole column with one of them as doubles, from both: two keys of 20
#   digits become one, and so do 9007199254740992 and ...993 beside them. DuckDB 2.0.1, polars
#   2.1.0, pandas 3.1.1 and chDB 4.4.0 keep all.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pyarrow==26.0.1 duckdb==2.0.1 polars==2.1.0 pandas==3.1.1 chdb==4.4.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
from pathlib import Path

import chdb
import duckdb
import pandas
import polars
import pyarrow.csv
import pyarrow.json

keys = [2**53, 2**53 + 1, 12345678901234567890, 12345678901234567891]
Path("a.csv").write_text("id\n" + "".join(f"{key}\n" for key in keys))
Path("a.json").write_text("".join(f'{{"id":{key}}}\n' for key in keys))
seen = {
    "pyarrow": [
        pyarrow.csv.read_csv("a.csv")["id"].to_pylist(),
        pyarrow.json.read_json("a.json")["id"].to_pylist(),
    ],
    "DuckDB": [[row[0] for row in duckdb.sql(f"from 'a.{k}'").fetchall()] for k in ("csv", "json")],
    "polars": [
        polars.read_csv("a.csv")["id"].to_list(),
        polars.read_ndjson("a.json")["id"].to_list(),
    ],
    "pandas": [
        pandas.read_csv("a.csv")["id"].tolist(),
        pandas.read_json("a.json", lines=True)["id"].tolist(),
    ],
    "chDB": [
        [int(line) for line in str(chdb.query(f"select id from file('{name}')")).split()]
        for name in ("a.csv', 'CSVWithNames", "a.json', 'JSONEachRow")
    ],
}
for reader, columns in seen.items():
    print(reader, columns)
    if reader == "pyarrow":
        assert columns == [[float(key) for key in keys]] * 2, "changed"
        assert all(isinstance(key, float) for key in columns[0] + columns[1]), "changed"
        assert len(set(columns[0])) == 2, "changed"
    else:
        assert columns == [keys, keys], "changed"
        assert all(isinstance(key, int) for key in columns[0] + columns[1]), "changed"
PY
echo "as recorded"
