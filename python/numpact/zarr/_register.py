# SPDX-License-Identifier: Apache-2.0
"""Replaces the codecs of the package pcodec."""

from __future__ import annotations

import ast
import json
import os
from importlib.util import find_spec

from .._errors import InvalidArgumentError
from ._imagecodecs import ImagecodecsPcodec
from ._numcodec import PCodec

_NAME = "numcodecs.pcodec"
_CLASS = "numpact.zarr.PcoCodec"
_VARIABLE = "ZARR_CODECS"


def register(*, children: bool = False) -> None:
    """Makes Zarr use numpact for the codec "pcodec", even if the package ``pcodec`` is installed.

    Applies to all arrays that this process opens or creates afterwards, for Zarr v2 and v3. Without
    that package the call is not necessary, but adds the checks of ``PcoCodec`` to Zarr v3. May be
    repeated. Unless imagecodecs is installed, arrays that it wrote with its codec
    "imagecodecs_pcodec" can be read afterwards.

    Args:
        children: Also set the environment variable ZARR_CODECS for processes that are started
            later. Zarr v3 reads it; for v2 each process must call this function.

    Raises:
        InvalidArgumentError: The value of ZARR_CODECS is not an object.
    """
    import numcodecs

    numcodecs.register_codec(PCodec, PCodec.codec_id)
    reads_theirs = find_spec("imagecodecs") is None
    if reads_theirs:
        numcodecs.register_codec(ImagecodecsPcodec, ImagecodecsPcodec.codec_id)
    if find_spec("zarr") is not None:
        _register_with_zarr(reads_theirs)
    if children:
        os.environ[_VARIABLE] = _extended(os.environ.get(_VARIABLE, ""))


def _register_with_zarr(reads_imagecodecs: bool) -> None:
    try:
        from zarr.registry import register_codec
    except ImportError:  # zarr-python 2 has nothing but numcodecs
        return
    import zarr

    from ._serializer import ImagecodecsSerializer, PcoCodec

    register_codec(_NAME, PcoCodec, qualname=_CLASS)
    if reads_imagecodecs:
        register_codec(ImagecodecsPcodec.codec_id, ImagecodecsSerializer)
    # config.set would read the dot in the name as a path, and replaces the whole mapping.
    zarr.config.set({"codecs": {**zarr.config.get("codecs"), _NAME: _CLASS}})


def _extended(text: str) -> str:
    """The value of ZARR_CODECS, a literal of Python, with one more entry."""
    try:
        codecs = ast.literal_eval(text) if text.strip() else {}
    except (ValueError, SyntaxError):
        codecs = None
    if not isinstance(codecs, dict):
        raise InvalidArgumentError(f"{_VARIABLE} is {text!r}, not an object of names and classes")
    return json.dumps({**codecs, _NAME: _CLASS})
