# SPDX-License-Identifier: Apache-2.0
"""The code that Triton compiles for GPUs, without a GPU: nothing fused, nothing flushed."""

from __future__ import annotations

import os
import re
import sys
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
triton = pytest.importorskip("triton", reason="Triton is not installed")
if os.environ.get("TRITON_INTERPRET") == "1":
    pytest.skip("TRITON_INTERPRET=1: nothing is compiled", allow_module_level=True)

from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402

from numpact import cvc  # noqa: E402
from numpact.cvc import _backends  # noqa: E402
from numpact.cvc._device import _arrays, _triton  # noqa: E402
from numpact.cvc._device import _kernels as kernels  # noqa: E402
from numpact.cvc._device import _rotation_kernel as rotation  # noqa: E402

pytestmark = pytest.mark.slow

KINDS = {
    "copy": (kernels.COPY, "i32", 4), "float32": (kernels.FLOAT32, "i32", 4),
    "float16": (kernels.FLOAT16, "i16", 2), "bfloat16": (kernels.BFLOAT16, "i16", 2),
    "int8": (kernels.INT8, "u8", 1), "int8_row": (kernels.INT8_ROW, "u8", 1),
    "int8_dim": (kernels.INT8_DIM, "u8", 1), "int4": (kernels.INT4, "u8", 1),
    "lossless": (kernels.LOSSLESS, "u8", 1),
}  # fmt: skip
TYPES = {
    "float32": (kernels.FLOAT32, "i32"), "float16": (kernels.FLOAT16, "i16"),
    "bfloat16": (kernels.BFLOAT16, "i16"),
}  # fmt: skip
LAYOUTS = [(kernels.DENSE, 16), (kernels.DENSE, 1), (kernels.APART, 1), (kernels.MAPPED, 1)]


def code_of(kind: str, dtype: str, layout: Any, unit: int, arch: int, dimension: int | None) -> str:
    number, source, size = KINDS[kind]
    type_number, out = TYPES[dtype]
    if kind == "copy":
        out = source
    types = {
        "out": f"*{out}", "source": f"*{source}", "words": "*i32", "numbers": "*i64",
        "table": "*i64", "tasks": "*i32", "flags": "*i32", "dimension": "i32", "stride": "i64",
    }  # fmt: skip
    constants: dict[str, int] = {
        "KIND": number.value, "TYPE": type_number.value, "LAYOUT": layout.value, "UNIT": unit,
        "SIZE": size, "ARITHMETIC": kernels.PTX.value, "BLOCK": 2048,
    }  # fmt: skip
    if dimension is not None:
        constants |= {"dimension": dimension}
    types |= dict.fromkeys(constants, "constexpr")
    # As a launch finds it: all memory is aligned, and so are dimensions of whole units.
    aligned = [i for i in range(7 if unit == 1 else 9) if i < 7 or dimension is None]
    attributes = {(i,): [["tt.divisibility", 16]] for i in aligned}
    text = ASTSource(kernels.decode, types, constexprs=constants, attrs=attributes)
    target = GPUTarget("cuda", arch, 32)
    made = triton.compile(text, target=target, options={"num_warps": 4, "enable_fp_fusion": False})
    assert made.asm["cubin"]
    return str(made.asm["ptx"])


@pytest.mark.parametrize("kind", KINDS)
def test_code(kind: str) -> None:
    for arch in (75, 80, 90, 100):
        for dtype in TYPES:
            for layout, unit in LAYOUTS if arch == 90 else LAYOUTS[:1]:
                for dimension in (None, 1) if (arch, unit) == (90, 1) else (None,):
                    ptx = code_of(kind, dtype, layout, unit, arch, dimension)
                    assert not re.search(r"\bfma\b|\.ftz|cvt\S*\.b?f16", ptx)
                    sums = set(re.findall(r"\b(?:mul|add|sub)\S*\.f32", ptx))
                    assert sums <= {"mul.rn.f32", "add.rn.f32"} or kind == "float16"
                    if unit == 16:
                        assert "st.global.v4.b32" in ptx
                        assert "ld.global.v4.b32" in ptx


def rotation_of(bits: int, dtype: str, layout: Any, dimension: int, arch: int) -> str:
    type_number, out = TYPES[dtype]
    part = 1 << (dimension.bit_length() - 1)
    size = part if part == dimension else 2 * part
    types = {
        "out": f"*{out}", "source": "*u8", "words": "*i32", "numbers": "*i64", "table": "*i64",
        "tasks": "*i32", "dimension": "i32", "stride": "i64", "factor": "fp32",
        "blocks": "i32", "scratch": "*fp32",
    }  # fmt: skip
    constants: dict[str, int] = {
        "BITS": bits, "TYPE": type_number.value, "LAYOUT": layout.value,
        "ROWS": max(1, 2048 // size), "PART": part, "SIZE": size, "STEPS": part.bit_length() - 1,
        "ARITHMETIC": kernels.PTX.value,
    }  # fmt: skip
    types |= dict.fromkeys(constants, "constexpr")
    attributes = {(i,): [["tt.divisibility", 16]] for i in range(6)}
    text = ASTSource(rotation.decode, types, constexprs=constants, attrs=attributes)
    target = GPUTarget("cuda", arch, 32)
    options = {"num_warps": max(4, size // 512), "enable_fp_fusion": False}
    made = triton.compile(text, target=target, options=options)
    assert made.asm["cubin"]
    assert made.metadata.shared <= 48 << 10
    return str(made.asm["ptx"])


@pytest.mark.parametrize("bits", [1, 2, 3, 4])
def test_code_of_rotations(bits: int) -> None:
    cases = [("float32", kernels.DENSE, 768, 80), ("float16", kernels.APART, 3, 75),
             ("bfloat16", kernels.MAPPED, 1, 90), ("float32", kernels.DENSE, 8192, 100),
             ("float32", kernels.MAPPED, 5000, 90)]  # fmt: skip
    for dtype, layout, dimension, arch in cases[:: 1 if bits == 4 else 2]:
        ptx = rotation_of(bits, dtype, layout, dimension, arch)
        assert not re.search(r"\bfma\b|\.ftz|cvt\S*\.b?f16", ptx)
        sums = set(re.findall(r"\b(?:mul|add|sub)\S*\.f32", ptx))
        assert sums <= {"mul.rn.f32", "add.rn.f32", "sub.rn.f32"} or dtype == "float16"


class _Driver:
    """Stands in for that of a GPU; nothing is run."""

    def get_current_target(self) -> Any:
        return GPUTarget("cuda", 90, 32)

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, device: int) -> int:
        return 0


class _Launches:
    """Compiles what is launched."""

    def __init__(self, decode: Any) -> None:
        self.decode = decode
        self.made: list[Any] = []

    def __getitem__(self, grid: tuple[int]) -> Any:
        return lambda *a, **k: self.made.append(self.decode.warmup(*a, grid=grid, **k))


def test_launches(monkeypatch: pytest.MonkeyPatch) -> None:
    """The arguments of launches fit the kernels."""
    launches = _Launches(kernels.decode)
    rotations = _Launches(rotation.decode)
    monkeypatch.setitem(sys.modules, "numpact._cuda", None)
    monkeypatch.setattr(kernels, "decode", launches)
    monkeypatch.setattr(rotation, "decode", rotations)
    monkeypatch.setattr(_backends, "_triton_problem", lambda: None)
    monkeypatch.setattr(_arrays, "torch_device", lambda place: torch.device("cpu"))
    monkeypatch.setattr(_triton, "_stream_of", lambda output: nullcontext())
    monkeypatch.setattr(_triton, "_GpuLane", lambda device: _triton._CpuLane())
    monkeypatch.setattr(triton.runtime.driver, "_active", _Driver(), raising=False)
    for compression in ("fp16", "bfloat16", "lossless", "pco", "int8", "int8_row", "int4", "rot3"):
        made = (rotations if compression == "rot3" else launches).made
        for dimension in (1, 7, 48):
            values = np.random.default_rng(1).normal(size=(500, dimension)).astype(np.float32)
            with cvc.Writer(None, compression=compression, chunk_size=300) as writer:
                writer.append(values)
            reader = cvc.Reader(writer.contents)
            for dtype in ("float32", "bfloat16"):
                before = len(made)
                where = {"dtype": dtype, "device": "cuda"}
                reader.read(**where)
                reader.gather([1, 5], **where)
                buffer = torch.empty((500, dimension + 3), dtype=getattr(torch, dtype))
                reader.read(out=buffer[:, :dimension], device="cuda")
                assert len(made) == before + 3
    assert all(one.asm["ptx"] for one in launches.made + rotations.made)
