# SPDX-License-Identifier: Apache-2.0
"""Helpers of the tests of `numpact cvc`."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from archives import unpacked as unpacked_archive
from cli_program import ROOT, Ran, refused, run

FIXTURES = unpacked_archive("cvc/files.zip")
#: Contents of the files, by their names without ".cvc".
ARRAYS = np.load(ROOT / "tests/fixtures/cvc/arrays.npz")
GOOD = sorted(path.stem for path in FIXTURES.glob("*.cvc") if not path.stem.startswith("odd_mmap"))


def cvc(*arguments: object, **keywords: Any) -> Ran:
    return run("cvc", *arguments, **keywords)


def cvc_refused(*arguments: object, **keywords: Any) -> str:
    return refused("cvc", *arguments, **keywords)


def info(path: Path) -> dict[str, Any]:
    return json.loads(cvc("info", path, "--json").text)


def vectors(rows: int, dimension: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, dimension)).astype(np.float32)


def vecs(array: np.ndarray) -> bytes:
    """An array as .fvecs, .bvecs or .ivecs."""
    head = struct.pack("<i", array.shape[1])
    return b"".join(head + row.tobytes() for row in array)


def safetensors(tensors: dict[str, tuple[str, np.ndarray]]) -> bytes:
    """Tensors by name, with the name of their type."""
    header, data = {}, b""
    for name, (dtype, array) in tensors.items():
        header[name] = {"dtype": dtype, "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = json.dumps({"__metadata__": {}, **header}).encode()
    return struct.pack("<Q", len(text)) + text + data


def read_safetensors(path: Path) -> dict[str, np.ndarray]:
    types = {"F32": "<f4", "F16": "<f2", "BF16": "<u2", "I32": "<i4", "I64": "<i8", "I8": "i1",
             "U8": "u1"}
    content = path.read_bytes()
    (length,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8 : 8 + length])
    header.pop("__metadata__", None)
    data = content[8 + length :]
    arrays = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        arrays[name] = np.frombuffer(data[begin:end], types[entry["dtype"]]).reshape(entry["shape"])
    return arrays


def payloads(path: Path) -> list[bytes]:
    content = path.read_bytes()
    file_info = info(path)
    head = 8 if file_info["checksums"] else 4
    return [content[chunk["offset"] + head : chunk["offset"] + head + chunk["bytes"]]
            for chunk in file_info["chunks"]]


def unpacked(path: Path, *arguments: object) -> np.ndarray:
    target = path.with_name(path.name + ".unpacked.npy")
    cvc("unpack", path, "-f", "-o", target, *arguments)
    return np.load(target)
