# SPDX-License-Identifier: Apache-2.0
"""Adding numbers to a file that is there."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import _core
from ._arrays import numbers_of
from ._errors import TypeMismatchError, naming
from ._file import contents
from ._lock import core_timeout
from ._number_types import dtype_of, stated_type, type_name
from ._specs import (
    DEFAULT_LEVEL,
    DEFAULT_PAGING,
    Delta,
    Mode,
    Paging,
    TrailerSpec,
    core_options,
    core_trailer,
)
from ._threads import resolve

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Path = str | os.PathLike[str]


def append(
    path: Path,
    x: object,
    level: int = DEFAULT_LEVEL,
    mode: Mode = "auto",
    delta: Delta = "auto",
    paging: Paging = DEFAULT_PAGING,
    threads: int | None = None,
    *,
    trailer: TrailerSpec = False,
    dtype: npt.DTypeLike | None = None,
    lock_timeout: float | None = None,
) -> None:
    """Adds chunks with these numbers to a standalone Pco file of the same number type.

    The file is walked first, and then replaced by a longer copy that is written beside it: a crash
    leaves the old file or the new one. What follows the end of the old file is lost, but a trailer
    is made anew for all of it, which decodes it.

    Several processes and threads may append at the same time, by any of numpact's doors, and lose
    nothing: each waits for the others.

    Args:
        path: A file of format version 4, as every release of numpact and the releases 1.x of the
            reference write it.
        x: Numbers, from anything that ``compress`` takes.
        level: As the others for ``compress``. The file keeps its version, which may lack a mode.
        trailer: As for ``compress``; but a file that has one gets one of its kind also without.
        dtype: What the numbers of the file are, as for a ``Writer``; None: of the type that it
            stores. Times need it, since files keep no unit.
        lock_timeout: Seconds to wait for others that write the file; None: without end, but Ctrl-C
            works; 0: not at all.

    Raises:
        FileNotFoundError: There is no such file: a ``Writer`` makes one.
        LockTimeoutError: Another process is writing the file; it is left alone.
        TypeMismatchError: Numbers that are not converted to those of the file, by the rule of
            ``Writer.write``; a ``dtype`` that is stored as another type.
        CorruptError: The file is damaged, or its trailer says so, or is damaged itself
            (``ChecksumError``); it is left alone. ``salvage`` reads what is sound; the first
            ``verify(path).file_bytes`` bytes are the file without its trailer.
        UnsupportedVersionError: The file is of an older or newer format.

    >>> import numpact, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "counts.pco")
    >>> with numpact.Writer(path, "int64") as writer:
    ...     writer.write([1, 2, 3])
    >>> numpact.append(path, [4, 5])
    >>> numpact.open(path)[:]
    array([1, 2, 3, 4, 5])
    """
    name = os.fspath(path)
    timeout = core_timeout(lock_timeout)
    os.stat(name)  # Python's own errors for files that cannot be had
    with naming(name):
        _core.append_to_file(
            name,
            numbers_of(x, _type_of(name, dtype)),
            **core_options(level, mode, delta, paging),
            threads=resolve(threads),
            trailer=core_trailer(trailer),
            timeout_ms=timeout,
        )


def _type_of(path: str, dtype: npt.DTypeLike | None) -> np.dtype[Any] | None:
    """What the numbers of a file are; None for an empty file that names no type."""
    stored = _core.read_header(contents(path))["number_type"]
    if dtype is None:
        return None if stored is None else dtype_of(stored)
    stated = stated_type(dtype)
    if stored not in (None, type_name(stated)):
        raise TypeMismatchError(f"the file holds {dtype_of(stored)} numbers, not {stated}")
    return stated
