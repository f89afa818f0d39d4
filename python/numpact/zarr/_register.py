# SPDX-License-Identifier: Apache-2.0
"""Numpact in the place of the package pcodec."""

from __future__ import annotations

import ast
import json
import os
from importlib.util import find_spec

from .._errors import InvalidArgumentError
from ._numcodec import PCodec

_NAME = "numcodecs.pcodec"
_CLASS = "numpact.zarr.PcoCodec"
_VARIABLE = "ZARR_CODECS"


def register(*, children: bool = False) -> None:
    """Makes numpact do what is stored as "pcodec", where the package ``pcodec`` is installed too.

    For all arrays that are opened or created afterwards in this process, Zarr v2 and v3. Without
    that package there is no need for it, but Zarr v3 gains the checks of ``PcoCodec``. May be
    called again.

    Args:
        children: Also set the environment variable ZARR_CODECS, which processes that are started
            afterwards inherit. It serves Zarr v3; for v2 they have to call this themselves.

    Raises:
        InvalidArgumentError: ZARR_CODECS is set to something that is not an object.
    """
    import numcodecs

    numcodecs.register_codec(PCodec, PCodec.codec_id)
    if find_spec("zarr") is not None:
        _register_with_zarr()
    if children:
        os.environ[_VARIABLE] = _extended(os.environ.get(_VARIABLE, ""))


def _register_with_zarr() -> None:
    try:
        from zarr.registry import register_codec
    except ImportError:  # zarr-python 2 has nothing but numcodecs
        return
    import zarr

    from ._serializer import PcoCodec

    register_codec(_NAME, PcoCodec, qualname=_CLASS)
    # The name has a dot, which config.set would take for a path; and it replaces what it sets.
    zarr.config.set({"codecs": {**zarr.config.get("codecs"), _NAME: _CLASS}})


def _extended(text: str) -> str:
    """ZARR_CODECS, which holds a literal of Python, with one more entry."""
    try:
        codecs = ast.literal_eval(text) if text.strip() else {}
    except (ValueError, SyntaxError):
        codecs = None
    if not isinstance(codecs, dict):
        raise InvalidArgumentError(f"{_VARIABLE} is {text!r}, not an object of names and classes")
    return json.dumps({**codecs, _NAME: _CLASS})
