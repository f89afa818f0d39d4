#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Blosc2's ZFP codecs refuse integer arrays, or compress them as ZFP itself can.
# Seen: Blosc2 4.14.1 takes int32 and int64 as if they were float32 and float64: with ZFP_ACC and a
#   tolerance of 0.001 all integers up to 12285 come back as 0. ZFP_PREC and ZFP_RATE return other
#   numbers, 2^31 and more away.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  blosc2==4.14.1 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import blosc2
import numpy as np


def stored(numbers, codec, meta):
    settings = {
        "codec": codec,
        "codec_meta": meta,
        "filters": [blosc2.Filter.NOFILTER],
        "splitmode": blosc2.SplitMode.NEVER_SPLIT,
    }
    return blosc2.asarray(numbers, chunks=(64, 64), blocks=(64, 64), cparams=settings)[:]


grid = np.arange(4096).reshape(64, 64) * 3
for codec, meta in (
    (blosc2.Codec.ZFP_ACC, 256 - 3),
    (blosc2.Codec.ZFP_PREC, 16),
    (blosc2.Codec.ZFP_RATE, 25),
):
    for kind in ("f4", "i4", "i8"):
        numbers = grid.astype(kind)
        seen = stored(numbers, codec, meta)
        error = np.abs(seen.astype(float) - numbers).max()
        print(f"{codec.name} of {kind}: largest error {error:g}")
        if kind == "f4":
            assert error == 0, "changed"
        elif codec == blosc2.Codec.ZFP_ACC:
            assert not seen.any(), "changed"
        else:
            assert error > 1e9, "changed"
PY
echo "as recorded"
