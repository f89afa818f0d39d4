#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: with_format("numpy") of Hugging Face's datasets gives columns in the types that their
#   features name.
# Seen: datasets 5.2.0 makes float32 of float64, so that 1e300 is infinite, and int64 of uint64,
#   so that 2^64 - 1 is -1. One null in a column of int64 makes it float32: 16777217 beside it is
#   16777216. With the format of pandas the types are kept.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  datasets==5.2.0 numpy==2.4.6 pandas==3.1.1 pyarrow==26.0.1 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import datasets
import numpy as np

columns = {
    "double": np.array([0.1, 1e300]),
    "unsigned": np.array([2**64 - 1, 1], np.uint64),
    "exact": np.array([2**53 + 1, 2**24 + 1]),
    "with a null": [2**24 + 1, None],
}
dataset = datasets.Dataset.from_dict(columns)
types = {name: feature.dtype for name, feature in dataset.features.items()}
print("features:", types)
assert list(types.values()) == ["float64", "uint64", "int64", "int64"], "changed"
found = dataset.with_format("numpy")[:]
for name, numbers in found.items():
    print(f"numpy, {name}: {numbers.tolist()} {numbers.dtype}")
assert found["double"].dtype == np.float32 and np.isinf(found["double"][1]), "changed"
assert found["unsigned"].dtype == np.int64 and found["unsigned"].tolist() == [-1, 1], "changed"
assert found["exact"].tolist() == [2**53 + 1, 2**24 + 1], "changed"
assert found["with a null"].dtype == np.float32, "changed"
assert found["with a null"][0] == 2**24, "changed"
frame = dataset.with_format("pandas")[:]
print("pandas:", dict(frame.dtypes.astype(str)))
assert frame["double"].tolist() == [0.1, 1e300], "changed"
assert frame["unsigned"].tolist() == [2**64 - 1, 1], "changed"
PY
echo "as recorded"
