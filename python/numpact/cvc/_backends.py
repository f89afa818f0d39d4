# SPDX-License-Identifier: Apache-2.0
"""Devices and backends, as callers of the package ``decompressed`` name them."""

from __future__ import annotations

from .._errors import Error, InvalidArgumentError

_CPU = ("auto", "cpp", "python")
_GPU = ("cuda", "triton")
_NO_GPU = "numpact reads CVC on the CPU only; move the array to the device afterwards"


class BackendError(Error):
    """A backend that this build does not have."""

    kind = "unsupported backend"


def get_available_backends() -> dict[str, bool]:
    """Which backends can be asked for. "python" and "cpp" are the same code here."""
    return {"python": True, "cpp": True, "cuda": False, "triton": False}


def get_backend_errors() -> dict[str, str | None]:
    """Why a backend cannot be asked for; None where it can."""
    return {"python": None, "cpp": None, "cuda": _NO_GPU, "triton": _NO_GPU}


def check_backend(device: str, backend: str) -> None:
    """Raises unless the CPU is meant: ValueError for contradictions, RuntimeError for the GPU."""
    if device not in ("cpu", "cuda"):
        raise InvalidArgumentError(f"device must be 'cpu' or 'cuda', not {device!r}")
    if backend not in (*_CPU, *_GPU):
        raise InvalidArgumentError(f"unknown backend {backend!r}: {', '.join((*_CPU, *_GPU))}")
    if device == "cpu" and backend in _GPU:
        raise InvalidArgumentError(f"backend {backend!r} requires device='cuda', not 'cpu'")
    if device == "cuda" and backend in ("cpp", "python"):
        raise InvalidArgumentError(f"backend {backend!r} requires device='cpu', not 'cuda'")
    if device == "cuda":
        raise BackendError(_NO_GPU)
