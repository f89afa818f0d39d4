# SPDX-License-Identifier: Apache-2.0
"""Calls that numpact.pcodec should answer as pcodec does, right ones and wrong ones.

Expressions over the names of ``names``; compared are the value, or the kind of the error.
"""

from __future__ import annotations

from typing import Any

import numpy as np


class Index:
    def __index__(self) -> int:
        return 3


class Real:
    def __float__(self) -> float:
        return 0.5


class Subclass(np.ndarray):
    pass


def names(pcodec: Any) -> dict[str, Any]:
    """The names that the expressions may use."""
    files = pcodec.wrapped.FileCompressor()
    config = pcodec.ChunkConfig
    x = np.random.default_rng(5).integers(0, 1000, 1000)
    compress = pcodec.standalone.simple_compress
    chunk = files.chunk_compressor(x, config(delta_spec=pcodec.DeltaSpec.no_op()))
    reader, _ = pcodec.wrapped.FileDecompressor.new(files.write_header())
    meta = chunk.write_meta()
    decoder, _ = reader.chunk_decompressor(meta, "i64")
    sizes = pcodec.PagingSpec.exact_page_sizes([300, 700])

    def into(file: Any, dst: Any) -> tuple[Any, ...]:
        progress = pcodec.standalone.simple_decompress_into(file, dst)
        return progress.n_processed, progress.finished, dst[: progress.n_processed].tolist()

    def page_into(*arguments: Any) -> tuple[Any, ...]:
        progress, size = decoder.read_page_into(*arguments)
        return progress.n_processed, progress.finished, size

    def changed(name: str, value: Any) -> Any:
        made = config()
        setattr(made, name, value)
        return getattr(made, name)

    return {
        "np": np, "Index": Index, "Real": Real, "Subclass": Subclass,
        "P": pcodec, "C": config, "W": pcodec.wrapped,
        "M": pcodec.ModeSpec, "D": pcodec.DeltaSpec, "S": pcodec.PagingSpec,
        "compress": compress, "decompress": pcodec.standalone.simple_decompress,
        "back": lambda y, c: pcodec.standalone.simple_decompress(compress(y, c)),
        "into": into, "page_into": page_into, "changed": changed,
        "x": x, "d": np.zeros(1000, np.int64), "d2": np.zeros(2000, np.int64),
        "f": compress(x, config()), "e": compress(x[:0], config()),
        "two": compress(x, config(paging_spec=sizes)), "first": compress(x[:300], config()),
        "i4": compress(x.astype(np.int32), config()),
        "files": files, "chunk": chunk, "reader": reader, "meta": meta,
        "page": chunk.write_page(0),
    }  # fmt: skip


_LIKE_X = [
    "list(x)", "None", "5", "x[::2]", "x[::-1]", "x.reshape(10, 100)", "x.reshape(1, 1000)",
    "np.array(5)", "np.int64(5)", "x.astype('>i8')", "x.astype(bool)", "x.astype('M8[ns]')",
    "x.astype('m8[ns]')", "x.astype('c16')", "x.astype('S4')", "x.astype(object)",
    "x.astype(np.longdouble)", "memoryview(x)", "x.tobytes()", "bytearray(8)",
    "np.frombuffer(b'a' + x.tobytes(), offset=1, dtype='i8')", "x[None, :]",
    "np.broadcast_to(x[:1], (10,))", "np.zeros((0, 3))", "x.astype(np.uint8)",
]  # fmt: skip

_GOOD_X = [
    "x", "x.astype(np.longlong)", "x.astype(np.ulonglong)", "x.view(np.recarray)",
    "np.ma.array(x)", "x.view(Subclass)", "x[5:500]", "x[:1:2]", "x[::2][:1]",
    "np.frombuffer(x.tobytes(), np.int64)",
]  # fmt: skip

_SPECS = [
    "M.try_int_mult()", "M.try_int_mult(-1)", "M.try_int_mult(1 << 64)", "M.try_int_mult(1.5)",
    "M.try_int_mult('a')", "M.try_float_mult('1')", "M.try_float_mult(None)",
    "M.try_float_quant(-1)", "M.try_float_quant(1 << 32)", "M.try_float_quant(2.0)",
    "M.auto(1)", "M()", "D()", "S()", "P.Progress()", "D.try_consecutive(-1)",
    "D.try_consecutive(1 << 70)", "D.try_lookback(3)", "S.equal_pages_up_to(-1)",
    "S.equal_pages_up_to(1 << 64)", "S.exact_page_sizes([-1])", "S.exact_page_sizes('ab')",
    "S.exact_page_sizes('')", "S.exact_page_sizes(iter([1]))", "S.exact_page_sizes([1.0])",
    "S.exact_page_sizes({1: 2})", "S.exact_page_sizes({1})", "S.exact_page_sizes(None)",
    "S.exact_page_sizes(5)", "S.exact_page_sizes(np.array([[1, 2]]))",
    "S.exact_page_sizes(np.array([1.5]))", "S.exact_page_sizes(np.array(1))",
    "M.auto().x", "setattr(M.auto(), 'x', 1)",
]  # fmt: skip

_CONFIGS = [
    "C(8, M.auto(), D.auto(), S.equal_pages_up_to(10), True).enable_8_bit",
    "C(8, M.auto(), D.auto(), S.equal_pages_up_to(10), True, 1)", "C(level=3)",
    "C(13).compression_level", "C(1 << 63).compression_level", "C(-1)", "C(1 << 70)", "C(1.0)",
    "C('8')", "C(None)", "C(True).compression_level", "C(np.int64(3)).compression_level",
    "C(Index()).compression_level", "C(mode_spec=None)", "C(delta_spec=None)",
    "C(paging_spec=None)", "C(mode_spec='auto')", "C(delta_spec=M.auto())",
    "C(mode_spec=D.auto())", "C(paging_spec=100)", "C(enable_8_bit=1)", "C(enable_8_bit=None)",
    "C(enable_8_bit=np.bool_(True)).enable_8_bit", "C() == C()", "len({C(), C()})",
    "changed('compression_level', 300)", "changed('compression_level', -1)",
    "changed('compression_level', 'a')", "changed('mode_spec', None)",
    "changed('delta_spec', 'a')", "changed('paging_spec', 5)", "changed('enable_8_bit', 1)",
    "changed('enable_8_bit', True)", "changed('foo', 3)", "delattr(C(), 'compression_level')",
]  # fmt: skip

# Numbers that are cut, mode and delta that do or do not apply.
_PAGINGS = [
    "S.exact_page_sizes(range(0))", "S.exact_page_sizes([1000])", "S.exact_page_sizes((500, 500))",
    "S.exact_page_sizes(np.array([400, 600]))", "S.exact_page_sizes([500, 400])",
    "S.exact_page_sizes([500, 600])", "S.exact_page_sizes([500, 0, 500])",
    "S.equal_pages_up_to(1)", "S.equal_pages_up_to(300)", "S.equal_pages_up_to(999)",
    "S.equal_pages_up_to((1 << 64) - 1)", "S.exact_page_sizes(b'dd' * 5)",
]  # fmt: skip
_MODES = [
    "M.try_int_mult(60)", "M.try_int_mult(0)", "M.try_int_mult(1)", "M.try_int_mult(1 << 16)",
    "M.try_int_mult(70000)", "M.try_int_mult(1 << 32)", "M.try_int_mult((1 << 64) - 1)",
    "M.try_int_mult(Index())", "M.try_float_mult(60.0)", "M.try_float_mult(0.0)",
    "M.try_float_mult(float('nan'))", "M.try_float_mult(float('inf'))", "M.try_float_mult(-1.0)",
    "M.try_float_mult(1e300)", "M.try_float_mult(1e-320)", "M.try_float_mult(1e-46)",
    "M.try_float_mult(Real())", "M.try_float_mult(2)", "M.try_float_quant(0)",
    "M.try_float_quant(5)", "M.try_float_quant(10)", "M.try_float_quant(11)",
    "M.try_float_quant(23)", "M.try_float_quant(24)", "M.try_float_quant(52)",
    "M.try_float_quant(53)", "M.try_float_quant((1 << 32) - 1)", "M.try_dict()", "M.classic()",
]  # fmt: skip
_DELTAS = [
    "D.try_consecutive(0)", "D.try_consecutive(7)", "D.try_consecutive(8)",
    "D.try_consecutive(1 << 40)", "D.try_lookback()", "D.try_conv1(0)", "D.try_conv1(1)",
    "D.try_conv1(32)", "D.try_conv1(33)", "D.try_conv1(1 << 40)", "D.no_op()",
]  # fmt: skip
_TYPES = ["u2", "i4", "u8", "f2", "f4", "f8"]

_FILES = [
    "decompress(f)", "decompress(src=f)", "decompress(f + b'abc')", "decompress(f + f)",
    "decompress(f, 1)", "decompress()", "decompress(f, threads=1)", "decompress('abc')",
    "decompress(None)", "decompress(list(f))", "decompress(x)", "decompress(b'')",
    "decompress(b'abc')", "decompress(b'abcdefgh')", "decompress(f[:-1])", "decompress(f[:20])",
    "decompress(f[:4] + b'\\x09' + f[5:])", "decompress(f[:-1] + i4[9:])",
    "decompress(e[:-1])", "decompress(e[:-1] + b'\\xee')",
    *(f"into({file}, d2[:{capacity}])"
      for capacity in (0, 1, 299, 300, 301, 999, 1000, 1001, 2000)
      for file in ("f", "two", "first", "e", "f[:-1]", "f[:20]", "f[:6]",
                   "two[:len(first) - 1]", "two[:len(first) + 1]",
                   "first[:-1] + b'\\xee'", "f[:-1] + i4[9:]")),
    *(f"into(f, {dst})"
      for dst in ("d.astype('u8')", "d.astype('f8')", "d.astype('i4')", "d2[::2]", "d[::-1]",
                  "d.reshape(10, 100)", "d.astype('>i8')", "d.astype('M8[s]')",
                  "d.astype(bool)", "bytearray(8000)", "[0] * 1000", "None", "memoryview(d)",
                  "np.array(5)", "np.frombuffer(bytearray(8001), offset=1, dtype='i8')")),
    "into('abc', d)", "into(b'', d)", "P.standalone.simple_decompress_into(f)",
]  # fmt: skip

_WRAPPED = [
    "W.FileCompressor(1)", "W.ChunkCompressor()", "W.FileDecompressor()", "W.ChunkDecompressor()",
    "files.write_header()", "files.write_header(1)", "files.chunk_compressor(x)",
    "files.chunk_compressor(x[:0], C())", "files.chunk_compressor(x, C(13))",
    "files.chunk_compressor(x[:0], C(paging_spec=S.exact_page_sizes([])))",
    *(f"files.chunk_compressor({x}, C())" for x in _LIKE_X),
    *(f"files.chunk_compressor(x, C(paging_spec={paging})).n_per_page()" for paging in _PAGINGS),
    "files.chunk_compressor(np.zeros((1 << 24) + 1, 'u2'), C(0))", "chunk.n_per_page()",
    "chunk.write_page()", "chunk.write_page(1)", "chunk.write_page(-1)", "chunk.write_page('a')",
    "chunk.write_page(1 << 70)", "chunk.write_page(1.0)",
    "chunk.write_page(0) == chunk.write_page(False)",
    *(f"W.FileDecompressor.new({header})[1]"
      for header in ("", "b''", "b'\\x04'", "b'\\x04\\x01'", "b'\\x04\\x02'", "b'\\x05\\x00'",
                     "b'\\x03'", "b'\\x00\\x00'", "b'\\x04\\x01abc'", "'ab'", "None")),
    *(f"type(reader.chunk_decompressor(meta, {dtype})).__name__"
      for dtype in ("'i64'", "'I64'", "'F32'", "'int64'", "'i64 '", "''", "'x'", "None", "5",
                    "np.int64", "b'i64'", "'bool'", "'<i8'", "np.dtype('i8')")),
    "reader.chunk_decompressor(meta)", "reader.chunk_decompressor(b'', 'i64')",
    "reader.chunk_decompressor(meta[:3], 'i64')", "reader.chunk_decompressor(meta[:-1], 'i64')",
    "reader.chunk_decompressor(b'\\xff' * 30, 'i64')", "reader.chunk_decompressor('a', 'i64')",
    *(f"page_into(page, 1000, d2[:{capacity}])"
      for capacity in (1, 255, 257, 999, 1000, 1001, 1024, 2000)),
    "page_into(page, 1000, d2[:0])[:2]", "page_into(page, 1000, d2[:256])[:2]",
    "page_into(page, 1000, d2[:768])[:2]", "page_into(page + b'abc', 1000, d)[:2]",
    "page_into(page[:-1], 1000, d)", "page_into(page[:-1], 1000, d[:256])[:2]",
    "page_into(b'', 1000, d)", "page_into(b'', 1000, d[:256])", "page_into(b'', 0, d)",
    "page_into(page, 0, d)", "page_into(page, 0, d[:0])", "page_into(page, 1001, d)",
    "page_into(page, 1001, d2)", "page_into(page, 1 << 24, d)", "page_into(page, -1, d)",
    "page_into(page, 1 << 70, d)", "page_into(page, 'a', d)", "page_into(page, 1000.0, d)",
    "page_into('a', 1000, d)", "page_into(page, 1000)",
    *(f"page_into(page, 1000, {dst})"
      for dst in ("d.astype('u8')", "d.astype('i4')", "d.astype('f8')", "d.astype('>i8')",
                  "d2[::2]", "d.reshape(10, 100)", "list(d)", "bytearray(8000)")),
]  # fmt: skip

CALLS = [
    "compress(x)", "compress(x, None)", "compress(x, 8)", "back(config=C(), src=x)",
    *(f"compress({x}, C())" for x in _LIKE_X),
    *(f"back({x}, C())" for x in _GOOD_X),
    *_SPECS, *_CONFIGS,
    *(f"back(x, C({level}))" for level in (0, 1, 12, 13, 255, 1 << 40)),
    "compress(x.astype('u1'), C(13))", "back(x.astype('u1'), C(enable_8_bit=True))",
    *(f"back(x, C(paging_spec={paging}))" for paging in _PAGINGS),
    *(f"compress(x[:0], C(paging_spec={paging}))" for paging in _PAGINGS),
    "compress(x[:0], C(13))", "compress(x[:0], C(paging_spec=S.equal_pages_up_to(0)))",
    *(f"back(x.astype('{t}'), C(mode_spec={mode}))" for t in _TYPES for mode in _MODES),
    *(f"back(x.astype('{t}'), C(delta_spec={delta}))" for t in _TYPES for delta in _DELTAS),
    *(f"compress(x[:0].astype('f4'), C(mode_spec={mode}))" for mode in _MODES),
    *(f"compress(x[:0].astype('f8'), C(delta_spec={delta}))" for delta in _DELTAS),
    *_FILES, *_WRAPPED,
]  # fmt: skip
