# SPDX-License-Identifier: Apache-2.0
"""Devices and backends: which can be asked for, and why others cannot."""

from __future__ import annotations

import importlib
import os
from typing import Any, NamedTuple

from .._device import device_number, load_extension
from .._errors import Error, InvalidArgumentError
from ._outputs import check_framework

_CPU = ("auto", "cpp", "python")
_GPU = ("cuda", "triton")


class BackendError(Error):
    """A device, or a backend for it, that is not there. ``get_backend_errors`` says why."""

    kind = "unsupported backend"


class Place(NamedTuple):
    """Where results go, and what decodes them."""

    device: str  #: "cpu", "cuda" or "cuda:N"
    framework: str  #: "numpy", "torch" or "cupy"
    backend: str  #: "cpp", "cuda" or "triton"

    @property
    def is_on_gpu(self) -> bool:
        return self.device != "cpu"


# ---- what is there ----


def _import_problem(package: str, advice: str) -> str | None:
    try:
        importlib.import_module(package)
    except ModuleNotFoundError as error:
        if error.name == package:
            return f"the package {package} is not installed: {advice}"
        return f"the package {package} cannot be imported: {error}"
    except (ImportError, OSError) as error:
        return f"the package {package} cannot be imported: {error}"
    return None


def _cuda_problem() -> str | None:
    """Why the extension cannot be used."""
    try:
        module = load_extension()
    except ImportError as error:
        return f"built without CUDA: {error}"
    try:
        count = int(module.device_count())
    except RuntimeError as error:
        return str(error)
    return None if count > 0 else "there is no GPU of NVIDIA"


def is_interpreted() -> bool:
    """Whether Triton's interpreter runs the kernels, on the CPU: ``TRITON_INTERPRET=1``."""
    return os.environ.get("TRITON_INTERPRET") == "1"


def _triton_problem() -> str | None:
    """Why Triton cannot be used."""
    advice = "pip install 'numpact[triton]'"
    problem = _import_problem("torch", advice) or _import_problem("triton", advice)
    if problem is not None:
        return problem
    if is_interpreted():
        return None
    torch: Any = importlib.import_module("torch")
    if torch.version.cuda is None:
        return f"PyTorch {torch.__version__} is built without CUDA: install one that is with it"
    if not torch.cuda.is_available():
        return "PyTorch finds no GPU of NVIDIA (torch.cuda.is_available() is false)"
    return None


def get_backend_errors() -> dict[str, str | None]:
    """Why a backend cannot be asked for; None where it can.

    Imports PyTorch and Triton if they are there.
    """
    return {"python": None, "cpp": None, "cuda": _cuda_problem(), "triton": _triton_problem()}


def get_available_backends() -> dict[str, bool]:
    """Which backends can be asked for.

    "python" and "cpp" are the same code here; "cuda" is numpact's extension for GPUs of NVIDIA,
    "triton" needs PyTorch and Triton besides a GPU, or ``TRITON_INTERPRET=1`` in the environment.
    """
    return {name: problem is None for name, problem in get_backend_errors().items()}


# ---- what is asked for ----


def is_gpu(device: object) -> bool:
    """Of "cuda", "cuda:1", or a device of PyTorch; raises for what is not a device."""
    return device_number(device) is not None


def _choose(backend: str) -> str:
    """The backend for the GPU."""
    problems = {}
    for name in _GPU if backend == "auto" else (backend,):
        problem = _cuda_problem() if name == "cuda" else _triton_problem()
        if problem is None:
            return name
        problems[name] = problem
    told = "; ".join(f"backend {name!r}: {problem}" for name, problem in problems.items())
    raise BackendError(f"nothing here decodes for device='cuda'. {told}")


def find_place(device: object, framework: str | None, backend: str) -> Place:
    """Where results go, and what decodes them.

    Args:
        device: "cpu", "cuda" for the current one, "cuda:N", or a device of PyTorch.
        framework: None: "numpy" on the CPU, "torch" on a GPU.
        backend: "auto": on a GPU "cuda", or else "triton".

    Raises:
        InvalidArgumentError: They contradict each other, or one is unknown.
        BackendError: What is asked for is not there.
    """
    if backend not in (*_CPU, *_GPU):
        raise InvalidArgumentError(f"unknown backend {backend!r}: {', '.join((*_CPU, *_GPU))}")
    if not is_gpu(device):
        if backend in _GPU:
            raise InvalidArgumentError(f"backend {backend!r} requires device='cuda', not 'cpu'")
        return Place("cpu", check_framework(framework or "numpy"), "cpp")
    if backend in ("cpp", "python"):
        raise InvalidArgumentError(f"backend {backend!r} requires device='cpu', not 'cuda'")
    framework = framework or "torch"
    if framework not in ("torch", "cupy"):
        raise InvalidArgumentError(
            f"framework {framework!r} requires device='cpu'; 'cuda' takes 'torch' or 'cupy'"
        )
    chosen = _choose(backend)
    if framework == "cupy" and chosen == "triton" and is_interpreted():
        raise InvalidArgumentError("Triton's interpreter takes framework='torch' only")
    advice = "pip install 'numpact[torch]'"
    if framework == "cupy":
        advice = "pip install cupy-cuda13x, or as CuPy's guide says for your CUDA"
    problem = _import_problem(framework, advice)
    if problem is not None:
        raise BackendError(f"framework {framework!r} cannot be used: {problem}")
    return Place(str(device), framework, chosen)
