#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Guess: Kaldi's compression methods 4, 6 and 7 store a matrix as int16, as uint8, and as uint8 of
#   numbers from 0 to 1; what does not fit is clipped, by kaldiio as by Kaldi. A NaN of the others
#   is lost, or stays alone.
# Seen: kaldiio 2.18.1 wraps: -40000 is 25536 with method 4, 300 is 44 and -3 is 253 or 254 with
#   method 6. The library of Kaldi itself (kaldi_native_io 1.23.0) has -32768, 255 and 0 there.
#   One NaN makes a whole matrix NaN with methods 1, 2, 3 and 5.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install -q --disable-pip-version-check \
  kaldiio==2.18.1 kaldi_native_io==1.23.0 numpy==2.4.6 || exit 2
cd "$folder"
env/bin/python -W ignore - <<'PY'
import kaldi_native_io
import kaldiio
import numpy as np


def read(name):
    return next(iter(kaldiio.load_ark(name)))[1]


def by_kaldiio(matrix, method):
    kaldiio.save_ark("a.ark", {"k": matrix}, compression_method=method)
    return read("a.ark")


def by_kaldi(matrix, method):
    with kaldi_native_io.CompressedMatrixWriter("ark:b.ark") as writer:
        writer.write("k", matrix, kaldi_native_io.CompressionMethod(method))
    return read("b.ark")


matrix = np.tile(np.float32([-40000, 300, -3, 0, 1]), (20, 2))
for method, wrapped, clipped in (
    (4, [25536, 300, -3, 0, 1], [-32768, 300, -3, 0, 1]),
    (6, [192, 44, 253, 0, 1], [0, 255, 0, 0, 1]),
    (7, None, [0, 1, 0, 0, 1]),
):
    seen, kaldi = by_kaldiio(matrix, method)[0, :5], by_kaldi(matrix, method)[0, :5]
    print(f"method {method}: {matrix[0, :5]} -> {seen} by kaldiio, {kaldi} by Kaldi")
    assert np.allclose(kaldi, clipped), "changed"
    if wrapped:
        assert np.allclose(seen, wrapped, atol=1), "changed"
    assert not np.allclose(seen, kaldi), "changed"
matrix = np.linspace(-3, 3, 200, dtype=np.float32).reshape(20, 10)
matrix[2, 2] = np.nan
for method in (1, 2, 3, 5):
    seen = by_kaldiio(matrix, method)
    print(f"method {method}: one NaN of 200 numbers ->", np.isnan(seen).sum())
    assert np.isnan(seen).all(), "changed"
PY
echo "as recorded"
