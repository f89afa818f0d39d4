# SPDX-License-Identifier: Apache-2.0
"""Devices and backends: which are available, and why others are not."""

from __future__ import annotations

import importlib
import os
from typing import Any, NamedTuple

from .._device import device_number, load_extension
from .._errors import Error, InvalidArgumentError
from .._optional import advice_for
from ._outputs import check_framework

_CPU = ("auto", "cpp", "python")
_GPU = ("cuda", "triton")


class BackendError(Error):
    """A device, or a backend for it, is not available; see ``get_backend_errors``."""

    kind = "unsupported backend"


class Place(NamedTuple):
    """The device of results, and the decoder for it."""

    device: str  #: "cpu", "cuda" or "cuda:N"
    framework: str  #: "numpy", "torch" or "cupy"
    backend: str  #: "cpp", "cuda" or "triton"

    @property
    def is_on_gpu(self) -> bool:
        return self.device != "cpu"


# ---- availability ----


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
    """The reason why the extension is not available; None if it is."""
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
    """The reason why Triton is not available; None if it is."""
    advice = advice_for("triton")
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
    """The reason why each backend is not available; None if it is.

    Imports PyTorch and Triton if they are there.
    """
    return {"python": None, "cpp": None, "cuda": _cuda_problem(), "triton": _triton_problem()}


def get_available_backends() -> dict[str, bool]:
    """Whether each backend is available.

    "python" and "cpp" are the same. "cuda" is numpact's extension for NVIDIA GPUs. "triton" needs
    PyTorch, Triton, and a GPU or ``TRITON_INTERPRET=1`` in the environment.
    """
    return {name: problem is None for name, problem in get_backend_errors().items()}


# ---- choice ----


def is_gpu(device: object) -> bool:
    """Whether a device is a GPU; raises InvalidArgumentError if it is not a device."""
    return device_number(device) is not None


def _choose(backend: str) -> str:
    """The first available backend for the GPU."""
    problems = {}
    for name in _GPU if backend == "auto" else (backend,):
        problem = _cuda_problem() if name == "cuda" else _triton_problem()
        if problem is None:
            return name
        problems[name] = problem
    reasons = "; ".join(f"backend {name!r}: {problem}" for name, problem in problems.items())
    raise BackendError(f"nothing here decodes for device='cuda'. {reasons}")


def find_place(device: object, framework: str | None, backend: str) -> Place:
    """Checks and completes the options for results.

    Args:
        device: "cpu", "cuda" for the current GPU, "cuda:N", or a device of PyTorch.
        framework: "numpy", "torch" or "cupy"; None: "numpy" on the CPU, "torch" on a GPU.
        backend: "auto", or one of ``get_backend_errors``. "auto" on a GPU is "cuda" if available,
            else "triton".

    Raises:
        InvalidArgumentError: Options contradict each other, or one is unknown.
        BackendError: The device, framework or backend is not available.
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
    advice = advice_for("torch")
    if framework == "cupy":
        advice = "pip install cupy-cuda13x, or as CuPy's guide says for your CUDA"
    problem = _import_problem(framework, advice)
    if problem is not None:
        raise BackendError(f"framework {framework!r} cannot be used: {problem}")
    return Place(str(device), framework, chosen)
