# SPDX-License-Identifier: Apache-2.0
"""The Pco codec: lossless compression of numbers.

``compress`` and ``decompress`` convert arrays to files and back, ``open`` reads parts of a file,
``Writer`` writes a file in several calls, ``inspect`` describes the content of a file, ``explain``
the reasons for its size, and ``verify`` checks it. ``write_table``, ``append_table``,
``read_table``, ``open_table`` and ``scan_table`` are for tables. ``numpact.pcodec`` replaces the
package ``pcodec``; ``numpact.zarr`` and ``numpact.dask`` are for arrays that are larger than
memory.
"""

# Not imported from typing: that takes longer than the rest of this module.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._append import append
    from ._arrow import ArrowArray, compress_arrow, decompress_arrow
    from ._codec import compress, decompress, decompress_into
    from ._core import __version__
    from ._device import DeviceArray
    from ._errors import (
        CancelledError,
        ChecksumError,
        CorruptError,
        DeviceError,
        Error,
        InputOutputError,
        InvalidArgumentError,
        LimitExceededError,
        LockTimeoutError,
        OtherFormatError,
        OutOfMemoryError,
        OutputTooSmallError,
        TrailingBytesWarning,
        TruncatedError,
        TypeMismatchError,
        UnavailableError,
        UnsupportedVersionError,
    )
    from ._estimate import SizeEstimate, estimate_size
    from ._explain import Explanation, explain
    from ._file import Chunk, File
    from ._file import open_file as open
    from ._folders.tables import OpenTable as OpenTable
    from ._folders.tabular import Table as Table
    from ._inspect import BinInfo, ChunkInfo, FileInfo, LatentVariableInfo, inspect
    from ._lossy import Rounded, RoundingReport, round_numbers
    from ._progress import Progress
    from ._recipe import Recipe, choose_recipe
    from ._spec_types import DeltaSpec, ModeSpec, PagingSpec
    from ._table import (
        append_table,
        compact_table,
        index_dataset,
        open_table,
        read_table,
        scan_table,
        write_table,
    )
    from ._threads import threads
    from ._trailer import (
        Damage,
        Trailer,
        TrailerChunk,
        Verification,
        add_trailer,
        read_trailer,
        salvage,
        verify,
    )
    from ._writer import Writer

__all__ = [
    "ArrowArray",
    "BinInfo",
    "CancelledError",
    "ChecksumError",
    "Chunk",
    "ChunkInfo",
    "CorruptError",
    "Damage",
    "DeltaSpec",
    "DeviceArray",
    "DeviceError",
    "Error",
    "Explanation",
    "File",
    "FileInfo",
    "InputOutputError",
    "InvalidArgumentError",
    "LatentVariableInfo",
    "LimitExceededError",
    "LockTimeoutError",
    "ModeSpec",
    "OtherFormatError",
    "OutOfMemoryError",
    "OutputTooSmallError",
    "PagingSpec",
    "Progress",
    "Recipe",
    "Rounded",
    "RoundingReport",
    "SizeEstimate",
    "Trailer",
    "TrailerChunk",
    "TrailingBytesWarning",
    "TruncatedError",
    "TypeMismatchError",
    "UnavailableError",
    "UnsupportedVersionError",
    "Verification",
    "Writer",
    "__version__",
    "add_trailer",
    "append",
    "append_table",
    "choose_recipe",
    "compact_table",
    "compress",
    "compress_arrow",
    "decompress",
    "decompress_arrow",
    "decompress_into",
    "estimate_size",
    "explain",
    "index_dataset",
    "inspect",
    "open",
    "open_table",
    "read_table",
    "read_trailer",
    "round_numbers",
    "salvage",
    "scan_table",
    "threads",
    "verify",
    "write_table",
]

# The names of each module. A module is imported on first use of one of its names, so that the
# command starts without the codec.
_MODULES = {
    "_append": "append",
    "_arrow": "ArrowArray compress_arrow decompress_arrow",
    "_codec": "compress decompress decompress_into",
    "_core": "__version__",
    "_device": "DeviceArray",
    "_errors": (
        "CancelledError ChecksumError CorruptError DeviceError Error InputOutputError "
        "InvalidArgumentError LimitExceededError LockTimeoutError OtherFormatError "
        "OutOfMemoryError OutputTooSmallError TrailingBytesWarning TruncatedError "
        "TypeMismatchError UnavailableError UnsupportedVersionError"
    ),
    "_estimate": "SizeEstimate estimate_size",
    "_explain": "Explanation explain",
    "_file": "Chunk File open",
    # Not in __all__: they need pyarrow.
    "_folders.tables": "OpenTable",
    "_folders.tabular": "Table",
    "_inspect": "BinInfo ChunkInfo FileInfo LatentVariableInfo inspect",
    "_lossy": "Rounded RoundingReport round_numbers",
    "_progress": "Progress",
    "_recipe": "Recipe choose_recipe",
    "_spec_types": "DeltaSpec ModeSpec PagingSpec",
    "_table": (
        "append_table compact_table index_dataset open_table read_table scan_table write_table"
    ),
    "_threads": "threads",
    "_trailer": "Damage Trailer TrailerChunk Verification add_trailer read_trailer salvage verify",
    "_writer": "Writer",
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names.split()}

if not TYPE_CHECKING:

    def __getattr__(name):
        import importlib

        if name == "_core":
            return importlib.import_module("._core", __name__)
        if name not in _MODULE_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = importlib.import_module("." + _MODULE_OF[name], __name__)
        value = getattr(module, "open_file" if name == "open" else name)
        globals()[name] = value
        return value

    def __dir__():
        return sorted({*globals(), *__all__})
