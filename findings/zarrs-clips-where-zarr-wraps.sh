#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: zarrs, as a faster codec pipeline of zarr, stores the same numbers as zarr's own pipeline
#   does.
# Seen: With zarr 3.1.6 and numcodecs.fixedscaleoffset to uint8 or int16, zarrs 0.2.3 clips what
#   does not fit and zarr wraps it: 300.0 in tenths of uint8 is 25.5 or 18.4. Neither reports an
#   error; NaN is 0 in both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  zarr==3.1.6 zarrs==0.2.3 numcodecs==0.16.6 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import zarr
from zarr.codecs import numcodecs

numbers = np.array([0.1, 2.5, 300.0, 7000.0, np.nan])
pipelines = {
    "zarr": "zarr.core.codec_pipeline.BatchedCodecPipeline",
    "zarrs": "zarrs.ZarrsCodecPipeline",
}
for kind, expected in (
    ("u1", {"zarr": [0.1, 2.5, 18.4, 11.2, 0], "zarrs": [0.1, 2.5, 25.5, 25.5, 0]}),
    ("i2", {"zarr": [0.1, 2.5, 300, 446.4, 0], "zarrs": [0.1, 2.5, 300, 3276.7, 0]}),
):
    for name, pipeline in pipelines.items():
        zarr.config.set({"codec_pipeline.path": pipeline})
        tenths = numcodecs.FixedScaleOffset(offset=0, scale=10, dtype="f8", astype=kind)
        settings = {"shape": (5,), "chunks": (5,), "dtype": "f8", "filters": [tenths]}
        array = zarr.create_array(f"{kind}-{name}.zarr", **settings)
        array[:] = numbers
        zarr.config.set({"codec_pipeline.path": pipelines["zarr"]})
        seen = zarr.open_array(f"{kind}-{name}.zarr")[:]
        print(f"tenths in {kind}, written by {name}:", numbers.tolist(), "->", seen.tolist())
        assert np.allclose(seen, expected[name]), "changed"
PY
echo "as recorded"
