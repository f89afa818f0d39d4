#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_files.py FOLDER: what the tests of the WebAssembly modules read.

Expected numbers come from others wherever there are others: from `pcodec` for Pco files, from
zarr-python for stores, from the arrays of tests/fixtures for CVC files.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numcodecs.pcodec
import numpact
import numpact.cvc
import numpy as np
import zarr
import zarr.codecs.numcodecs
from pcodec import standalone

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from archives import unpacked  # noqa: E402

FIXTURES = ROOT / "tests/fixtures"
CLI = ROOT / "build/release/cli/numpact"
TYPELESS = "v0_1_1_standalone_versioned"
TYPES = ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8"]


def numbers(dtype: str, count: int, seed: int) -> np.ndarray:
    """Numbers that get a mode and a delta encoding worth the name."""
    random = np.random.default_rng(seed)
    walk = np.cumsum(random.integers(-9, 10, count))
    if dtype[0] == "f":
        return (walk / 100).astype(dtype)
    limits = np.iinfo(dtype)
    return np.clip(walk + (limits.max // 2 if dtype[0] == "u" else 0), limits.min, limits.max
                   ).astype(dtype)  # fmt: skip


def pco_files(folder: Path) -> None:
    for path in FIXTURES.glob("pco/*.pco"):
        shutil.copy(path, folder)
        if path.stem != TYPELESS:
            np.save(folder / f"{path.stem}.npy", standalone.simple_decompress(path.read_bytes()))
    made = unpacked("pco/made.zip")
    shutil.copytree(made / "made", folder / "made")


def cvc_files(folder: Path) -> None:
    folder.mkdir()
    shutil.copytree(unpacked("cvc/bad.zip") / "bad", folder / "bad")
    # 51 MB in a few kilobytes.
    numpact.cvc.pack_cvc(np.zeros((200_000, 64), "i4"), folder / "zeros.cvc", compression="pco")
    for path in unpacked("cvc/files.zip").glob("*.cvc"):
        shutil.copy(path, folder)
    vectors = np.random.default_rng(8).normal(size=(40_000, 32)).astype("f4")
    for compression in ("fp16", "int8_row", "rot4", "pco"):
        numpact.cvc.pack_cvc(vectors, folder / f"rows_{compression}.cvc", compression=compression,
                             chunk_size=9000)  # fmt: skip
    np.save(folder / "rows.npy", vectors.astype("f2").astype("f4"))
    arrays = np.load(FIXTURES / "cvc/arrays.npz")
    for name in arrays.files:
        np.save(folder / f"{name}.npy", arrays[name])


def encoded_files(folder: Path) -> None:
    """The files of the library on this machine, at several levels."""
    folder.mkdir()
    for seed, dtype in enumerate(TYPES):
        made = numbers(dtype, 30_000, seed)
        np.save(folder / f"{dtype}.npy", made)
        for level in (0, 4, 8):
            (folder / f"{dtype}_{level}.pco").write_bytes(numpact.compress(made, level=level))
    made = numbers("f8", 50_000, 99)
    np.save(folder / "trailer.npy", made)
    path = folder / "trailer.pco"
    path.write_bytes(numpact.compress(made, paging=4096, trailer=256))
    shown = subprocess.run([CLI, "inspect", "--json", path], check=True, capture_output=True)
    (folder / "trailer.json").write_bytes(shown.stdout)
    made = np.random.default_rng(5).normal(size=600_000).cumsum()  # chunks of more than a megabyte
    np.save(folder / "restarts.npy", made)
    (folder / "restarts.pco").write_bytes(numpact.compress(made, level=4, trailer=4096))
    nothing = numpact.compress(np.zeros(0, "i4"), trailer=True)
    (folder / "empty_trailer.pco").write_bytes(nothing)


def zarr_stores(folder: Path) -> None:
    folder.mkdir()
    for dtype in ("i4", "u2", "i8", "f4", "f8"):
        made = numbers(dtype, 70 * 41, 7).reshape(70, 41)
        np.save(folder / f"{dtype}.npy", made)
        shared = {"shape": made.shape, "chunks": (32, 16), "dtype": made.dtype}
        third = zarr.create_array(folder / f"{dtype}.v3", **shared, compressors=None,
                                  serializer=zarr.codecs.numcodecs.PCodec(level=8))  # fmt: skip
        third[:] = made
        second = zarr.create_array(folder / f"{dtype}.v2", **shared, zarr_format=2, filters=None,
                                   compressors=numcodecs.pcodec.PCodec(level=8))  # fmt: skip
        second[:] = made


def main() -> None:
    folder = Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    pco_files(folder)
    cvc_files(folder / "cvc")
    encoded_files(folder / "encoded")
    zarr_stores(folder / "zarr")
    versions = {"numpact": numpact.__version__, "zarr": zarr.__version__}
    (folder / "versions.json").write_text(json.dumps(versions))


if __name__ == "__main__":
    main()
