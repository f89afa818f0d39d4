# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, TypedDict

import numpy.typing as npt
from typing_extensions import Buffer

from ._errors import Error
from ._specs import CorePaging, CoreTrailer, TrailerPolicy

Array = npt.NDArray[Any]
_Bytes = bytes
_Progress = Callable[[int, int], bool] | None
_Entry = tuple[Any, ...]
_OnEnd = Callable[[str, int, int | None], None] | None

class _Ranges(Protocol):
    size: int | None
    def read_at(self, offset: int, size: int, /) -> Buffer: ...

class Header(TypedDict):
    standalone_version: int
    format_version: tuple[int, int]
    uniform_type: str | None
    number_type: str | None
    n_hint: int
    size_bytes: int

class RawTrailer(TypedDict):
    type: str | None
    count: int
    file_bytes: int
    bytes: int
    header_crc: int
    restart_every: int | None
    chunks: list[tuple[tuple[int, int, int, int], int, int, int, int, int, int]]

class RawVerification(TypedDict):
    type: str | None
    trailer: Literal["none", "sound", "damaged", "unrecognised"]
    trailer_error: Error | None
    header_error: Error | None
    damage: list[tuple[int, int, int | None, int, int, Error]]
    sound_count: int
    good_bytes: int
    file_bytes: int
    trailing_bytes: int
    is_sound: bool

__version__: str
MAX_MANIFEST_BYTES: int

class Recipe:
    @property
    def type(self) -> str: ...
    @property
    def text(self) -> str: ...

def parse_recipe(text: str) -> Recipe: ...
def choose_recipe(
    sample: Array,
    level: int,
    mode: str,
    delta: str,
    paging: CorePaging,
    compat: str = "4.1",
    favor_decode_speed: bool = False,
) -> Recipe: ...
def normal_mode(text: str) -> str: ...
def normal_delta(text: str) -> str: ...
def mode_forms() -> list[str]: ...
def delta_forms() -> list[str]: ...
def compress(
    array: Array,
    level: int,
    mode: str,
    delta: str,
    paging: CorePaging,
    uniform_type: bool,
    threads: int,
    progress: _Progress,
    compat: str = "4.1",
    favor_decode_speed: bool = False,
    trailer: CoreTrailer = None,
    recipe: Recipe | None = None,
    max_bytes: int | None = None,
) -> bytes: ...
def decompress(
    source: Buffer,
    threads: int = 1,
    max_output: int | None = None,
    progress: _Progress = None,
    trailer: TrailerPolicy = "use",
    on_end: _OnEnd = None,
) -> Array: ...
def decompress_into(
    source: Buffer,
    array: Array,
    threads: int = 1,
    max_output: int | None = None,
    progress: _Progress = None,
    trailer: TrailerPolicy = "use",
    on_end: _OnEnd = None,
) -> int: ...
def decompress_front(source: Buffer, array: Array, threads: int = 1) -> tuple[int, bool]: ...
def read_header(source: Buffer) -> Header: ...
def count_numbers(source: Buffer, threads: int = 1) -> int: ...
def read_trailer(tail: Buffer, before: int = 0) -> tuple[RawTrailer | None, int]: ...
def make_trailer(
    source: Buffer,
    trailer: int,
    max_output: int | None = None,
    progress: _Progress = None,
) -> tuple[bytes, int]: ...
def verify(
    source: Buffer,
    threads: int = 1,
    max_output: int | None = None,
    progress: _Progress = None,
) -> RawVerification: ...
def salvage(
    source: Buffer,
    threads: int = 1,
    max_output: int | None = None,
    progress: _Progress = None,
) -> tuple[Array | None, RawVerification]: ...
def inspect(source: Buffer, threads: int = 1, max_output: int | None = None) -> dict[str, Any]: ...
def explain(
    array: Array,
    level: int,
    mode: str,
    delta: str,
    paging: CorePaging,
    progress: _Progress = None,
    compat: str = "4.1",
    favor_decode_speed: bool = False,
) -> dict[str, Any]: ...
def estimate_size(
    array: Array,
    level: int,
    mode: str,
    delta: str,
    paging: CorePaging,
    compat: str = "4.1",
    favor_decode_speed: bool = False,
    trailer: int | None = None,
) -> tuple[int, int, str, str]: ...
def parse_manifest(
    text: bytes, name: str
) -> tuple[int, list[_Entry], list[_Entry], list[_Entry], bytes]: ...
def manifest_text(manifest: tuple[Any, ...]) -> bytes: ...
def crc32(source: Buffer) -> int: ...
def checked_part(name: str, source: Buffer, rows: int, place: str) -> _Entry: ...
def wrapped_header() -> bytes: ...
def read_wrapped_header(source: Buffer) -> tuple[int, int, int]: ...
def cpu_targets() -> list[tuple[str, bool, bool]]: ...
def force_cpu_target(name: str) -> None: ...

class Reader:
    def __init__(
        self,
        source: Buffer,
        threads: int = 1,
        max_output: int | None = None,
        progress: _Progress = None,
        chunks: Sequence[tuple[int, int, int, int]] | None = None,
        trailer: TrailerPolicy = "use",
        on_end: _OnEnd = None,
    ) -> None: ...
    @property
    def count(self) -> int: ...
    @property
    def type(self) -> str | None: ...
    @property
    def has_trailer(self) -> bool: ...
    def chunks(self) -> list[tuple[int, int, int, int]]: ...
    def read(self, first: int, count: int, threads: int = 1) -> Array: ...
    def read_into(self, first: int, array: Array, threads: int = 1) -> None: ...

class Encoder:
    def __init__(
        self,
        type: str,
        level: int,
        mode: str,
        delta: str,
        paging: CorePaging,
        threads: int = 1,
        n_hint: int = 0,
        compat: str = "4.1",
        favor_decode_speed: bool = False,
        trailer: CoreTrailer = None,
        recipe: Recipe | None = None,
        max_bytes: int | None = None,
    ) -> None: ...
    def write(self, array: Array) -> bytes: ...
    def end_chunk(self) -> bytes: ...
    def finish(self) -> bytes: ...

def append_to_file(
    path: str,
    array: Array,
    level: int,
    mode: str,
    delta: str,
    paging: CorePaging,
    threads: int,
    trailer: CoreTrailer = None,
    timeout_ms: int | None = None,
) -> None: ...

class FileLock:
    def __init__(self, path: str, timeout_ms: int | None) -> None: ...
    @property
    def has_file(self) -> bool: ...
    @property
    def path(self) -> str: ...
    def replace(self, source: str) -> None: ...
    def release(self) -> None: ...

def take_access(descriptor: int, path: str) -> None: ...
def replace_file(source: str, path: str, timeout_ms: int | None) -> None: ...

class ChunkEncoder:
    def __init__(
        self, array: Array, level: int, mode: str, delta: str, paging: CorePaging
    ) -> None: ...
    def page_sizes(self) -> list[int]: ...
    def meta(self) -> bytes: ...
    def page(self, index: int) -> bytes: ...

class ChunkDecoder:
    def __init__(
        self,
        source: Buffer,
        type: str,
        version: tuple[int, int],
        max_output: int | None = None,
    ) -> None: ...
    @property
    def meta_size(self) -> int: ...
    def decode_page(self, source: Buffer, page_n: int, array: Array) -> tuple[int, int]: ...

_Target = tuple[int, Array, bool]

class CvcSlice:
    @property
    def compression(self) -> str: ...
    @property
    def dtype(self) -> str: ...
    @property
    def bytes(self) -> Array: ...
    @property
    def offset(self) -> int: ...
    @property
    def first_row(self) -> int: ...
    @property
    def rows(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def min(self) -> float: ...
    @property
    def scale(self) -> float: ...
    @property
    def planes(self) -> list[tuple[int, int, int, bool, _Bytes]]: ...

class CvcReader:
    def __init__(
        self,
        bytes: Buffer | None,
        ranges: _Ranges | None = None,
        max_memory: int | None = None,
    ) -> None: ...
    def info(self) -> dict[str, Any]: ...
    def read(
        self,
        ranges: Sequence[tuple[int, int]],
        targets: Sequence[_Target],
        are_fresh: bool,
        threads: int,
        verify: bool,
        on_corruption: str,
        fill: float,
        progress: _Progress,
    ) -> tuple[int, list[tuple[int, int, int]]]: ...
    def gather(
        self,
        rows: Array,
        targets: Sequence[_Target],
        are_fresh: bool,
        threads: int,
        verify: bool,
    ) -> None: ...
    def find_sections(self, key: str, value: str) -> list[tuple[int, int]]: ...
    def find_chunks(self, key: str, value: str) -> list[int]: ...
    def read_codes(
        self, first: int, count: int, column: int, out: Array, threads: int, verify: bool
    ) -> list[tuple[int, str, float, float]]: ...
    def stored_slice(self, chunk: int, column: int, threads: int, verify: bool) -> CvcSlice: ...
    def verify(self, threads: int, progress: _Progress) -> list[tuple[int, int, int, int, str]]: ...

def cvc_quality(
    rows: Array,
    source: str,
    type: str,
    type_bytes: int,
    compressions: Sequence[str] | None,
    chunk_rows: int,
    rounding: str,
    metric: str,
    k: int,
    quantized_queries: bool,
    sample: int | None,
    queries: int | None,
    threads: int,
) -> dict[str, Any]: ...

class CvcWriter:
    def __init__(
        self,
        path: str | None,
        version: str,
        compression: str,
        chunk_rows: int,
        paged: bool,
        columns: Sequence[tuple[str, int, str, str | None, bool]],
        dimension: int | None,
        expected_rows: int | None,
        allow_nonfinite: bool,
        rounding: str,
        metadata: str,
        threads: int,
        sync: bool,
        timeout_ms: int | None = None,
    ) -> None: ...
    def append(self, arrays: Sequence[Array]) -> None: ...
    def begin_section(self, metadata: str) -> None: ...
    def end_section(self) -> None: ...
    def end_chunk(self) -> None: ...
    def set_chunk(self, chunk: int, compression: str | None, metadata: str | None) -> None: ...
    def finish(self) -> tuple[int, int, int, int, int]: ...
    def abort(self) -> None: ...
    def contents(self) -> bytes: ...

class ArrowBlock:
    @property
    def length(self) -> int: ...
    @property
    def null_count(self) -> int: ...
    def values(self) -> Array: ...
    def validity(self) -> Array | None: ...

def import_arrow_array(schema: object, array: object) -> tuple[str, list[ArrowBlock]]: ...
def import_arrow_stream(stream: object) -> tuple[str, list[ArrowBlock]]: ...
def arrow_type(format: str) -> str | None: ...
def arrow_name(format: str) -> str: ...
def export_arrow_schema(format: str, is_nullable: bool) -> object: ...
def export_arrow_array(
    values: Array, validity: Array | None, length: int, null_count: int
) -> object: ...

class NumberFilter:
    @property
    def matches_null(self) -> bool: ...
    def mask(self, numbers: Array) -> Array: ...

class TextFilter:
    @property
    def matches_null(self) -> bool: ...
    def mask(self, offsets: Array, data: Buffer) -> Array: ...

class DecimalFilter:
    @property
    def matches_null(self) -> bool: ...
    def ranges(self, precision: int, scale: int) -> list[tuple[str, str]]: ...

_FilterComparison = tuple[str, str, tuple[tuple[str, str | bytes, bool], ...]]

def parse_filter(text: str) -> list[tuple[str, str, tuple[tuple[str, str, bool], ...]]]: ...
def filter_op(text: str) -> str: ...
def bind_numbers(
    comparisons: Sequence[_FilterComparison], kind: str, type: str, unit: str, timezone: str
) -> NumberFilter: ...
def bind_texts(comparisons: Sequence[_FilterComparison], is_bytes: bool) -> TextFilter: ...
def bind_decimals(comparisons: Sequence[_FilterComparison]) -> DecimalFilter: ...

class TableReader:
    def __init__(self, source: object, max_memory: int | None = None) -> None: ...
    def manifest(self) -> tuple[int, list[Any], list[Any], list[Any], bytes]: ...
    def load(self, column: int) -> None: ...
    def file(self, name: str, column: str) -> Array: ...

_Buffers = tuple[Array, Array | None]

class TableCursor:
    def start(self, first: int, end: int) -> None: ...
    def next(self) -> tuple[int, int, Array | None, int, list[_Buffers | None]] | None: ...
    def read(self, column: int, first: int, count: int, as_bits: bool = True) -> _Buffers: ...
    def take(self, column: int, rows: Array) -> _Buffers: ...

class TableWriter:
    def __init__(
        self,
        folder: bytes,
        manifest: tuple[Any, ...] | None,
        work: str,
        level: int,
        trailer: int | None,
        threads: int,
        timeout_ms: int | None,
    ) -> None: ...
    def before(self) -> tuple[int, list[Any], list[Any], list[Any], bytes]: ...
    def copied(self, column: int) -> tuple[Any, ...]: ...
    def path(self, column: int) -> bytes: ...
    def write(self, column: int, numbers: Array, valid: Array | None) -> None: ...
    def finish(self, column: int) -> None: ...
    def begin_other(self, column: int) -> None: ...
    def write_bytes(self, column: int, source: Buffer) -> None: ...
    def finish_other(self, column: int, rows: int, type: str) -> None: ...
    def commit(self) -> bytes: ...
    def close(self) -> None: ...

def move_table(made: bytes, folder: bytes) -> bytes: ...

class TableScan:
    def __init__(
        self,
        reader: TableReader,
        columns: Sequence[int],
        where: Sequence[tuple[int, _FilterComparison]],
        rows: tuple[int, int] | None = None,
        window_rows: int = 65_536,
        nan_may_match: bool = False,
        min_part_rows: int = 0,
        others: object | None = None,
    ) -> None: ...
    @property
    def ranges(self) -> list[tuple[int, int]]: ...
    @property
    def rows(self) -> int: ...
    def cursor(self, threads: int = 1) -> TableCursor: ...
