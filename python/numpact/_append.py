# SPDX-License-Identifier: Apache-2.0
"""Adding numbers to a file that is there."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from . import _core
from ._arrays import numbers_of
from ._file import contents
from ._lock import core_timeout
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
        lock_timeout: Seconds to wait for others that write the file; None: without end, but Ctrl-C
            works; 0: not at all.

    Raises:
        FileNotFoundError: There is no such file: a ``Writer`` makes one.
        LockTimeoutError: Another process is writing the file; it is left alone.
        TypeMismatchError: The file holds numbers of another type.
        CorruptError: The file is damaged, or its trailer says so (``ChecksumError``); it is left
            alone.
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
    if trailer is False:
        _core.read_trailer(contents(name))  # raises for one that is damaged
    _core.append_to_file(
        name,
        numbers_of(x),
        *core_options(level, mode, delta, paging),
        resolve(threads),
        core_trailer(trailer),
        timeout,
    )
