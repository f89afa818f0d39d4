#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: zfpy is an optional dependency of numcodecs: with the newest zfpy installed, numcodecs
#   and zarr import, and the codec is either there or absent.
# Seen: numcodecs 0.16.6 (0.17.1 too) takes the version of zfpy apart with int(): with zfpy
#   1.0.1.post0, `import numcodecs` raises ValueError, and with it `import zarr`.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  numcodecs==0.16.6 zarr==3.1.6 zfpy==1.0.1.post0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import importlib

for name in ("numcodecs", "zarr"):
    try:
        importlib.import_module(name)
        seen = "imported"
    except ValueError as error:
        seen = str(error)
    print(name, "->", seen)
    assert "'post0'" in seen, "changed"
PY
echo "as recorded"
