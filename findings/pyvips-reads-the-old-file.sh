#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Image.new_from_file reads the file that is there.
# Seen: pyvips 3.2.0 (libvips 8.18): once a TIFF was read, another one that pyvips writes under its
#   name is not seen: the old numbers, and the old type, come from a cache of operations.
#   revalidate=True reads anew.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  pyvips-binary==8.18.7 pyvips==3.2.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import numpy as np
import pyvips


def write(array):
    pyvips.Image.new_from_array(array).write_to_file("a.tif")


def read(**settings):
    back = pyvips.Image.new_from_file("a.tif", **settings).numpy()
    return back.ravel().tolist(), str(back.dtype)


write(np.array([[1.5, 2.5]], np.float32))
first = read()
write(np.array([[7, 8]], np.uint16))
second, third = read(), read(revalidate=True)
print("1.5, 2.5:", first, "; then 7, 8:", second, "; revalidate:", third)
assert first == second == ([1.5, 2.5], "float32"), "changed"
assert third == ([7, 8], "uint16"), "changed"
PY
echo "as recorded"
