# SPDX-License-Identifier: Apache-2.0
"""Errors of both modules have the class and the words by which programs tell them apart."""

from __future__ import annotations

from typing import Any

import pytest
from drop_in_calls import names

import numpact
import numpact.pcodec as ours

TOO_NEW = "decompressed by this library version"
NO_CAST = "numpy array could not be cast to 1D"
NOT_BYTES = "not an instance of 'bytes'"
NO_INDEX = "object cannot be interpreted as an integer"
SHORT = "InsufficientData"
SIZE = "must either be a multiple of 256 or be at least the count of numbers remaining"

# A call over the names of drop_in_calls, the class that programs catch, the words that they match.
WRONG_CALLS: list[tuple[str, type[Exception], str]] = [
    # arrays
    ("compress(x.reshape(10, 100), C())", TypeError, f"2D int64 {NO_CAST} i64 array"),
    ("compress(np.zeros((2, 2)), C())", TypeError, f"2D float64 {NO_CAST} f64 array"),
    ("compress(np.zeros((2, 3, 4), 'f2'), C())", TypeError, f"3D float16 {NO_CAST}"),
    ("compress(np.array(5), C())", TypeError, f"0D int64 {NO_CAST}"),
    ("files.chunk_compressor(x.reshape(10, 100), C())", TypeError, f"2D int64 {NO_CAST}"),
    ("into(f, d.reshape(10, 100))", TypeError, f"2D int64 {NO_CAST}"),
    ("page_into(page, 1000, d.reshape(10, 100))", TypeError, "ndarray|2D int64"),
    ("compress(x[::2], C())", TypeError, "array is not contiguous or is misaligned"),
    ("into(f, d2[::2])", TypeError, "array is not contiguous or is misaligned"),
    ("compress(x.astype('>i8'), C())", TypeError, r"Unsupported data type: dtype\('>i8'\)"),
    ("compress(x.astype('M8[ns]'), C())", TypeError, "Unsupported data type"),
    ("compress(x.astype('c16'), C())", TypeError, "Unsupported data type: dtype.'complex128'"),
    ("compress(x.astype(object), C())", TypeError, "Unsupported data type: dtype.'O'"),
    ("into(f, d.astype(bool))", TypeError, "Unsupported data type: dtype.'bool'"),
    ("compress(list(x), C())", TypeError, "'list' object is not an instance of 'ndarray'"),
    ("compress(None, C())", TypeError, "'None' is not an instance of 'ndarray'"),
    ("into(f, bytearray(8000))", TypeError, "'bytearray' object is not an instance of 'ndarray'"),
    ("into(f, d.astype('f8'))", RuntimeError, "does not match chunk's number type"),
    ("into(f, d.astype('u8'))", RuntimeError, "Corruption.*does not match chunk's number type"),
    ("into(i4, d)", RuntimeError, "does not match chunk's number type"),
    # other arguments
    ("compress(x, None)", TypeError, "'None' is not an instance of 'ChunkConfig'"),
    ("compress(x, 8)", TypeError, "'int' object is not an instance of 'ChunkConfig'"),
    ("C(mode_spec='auto')", TypeError, "'str' object is not an instance of 'ModeSpec'"),
    ("C(delta_spec=M.auto())", TypeError, "'ModeSpec' object is not an instance of 'DeltaSpec'"),
    ("C(paging_spec=None)", TypeError, "'None' is not an instance of 'PagingSpec'"),
    ("changed('paging_spec', 5)", TypeError, "'int' object is not an instance of 'PagingSpec'"),
    ("C(enable_8_bit=1)", TypeError, "'int' object is not an instance of 'bool'"),
    ("C('8')", TypeError, f"'str' {NO_INDEX}"),
    ("C(-1)", OverflowError, "can't convert negative int to unsigned"),
    ("C(1 << 70)", OverflowError, "int too big to convert"),
    ("M.try_int_mult(1.5)", TypeError, f"'float' {NO_INDEX}"),
    ("M.try_float_quant(1 << 32)", OverflowError, "number too large to fit in target type"),
    ("M.try_float_quant(-1)", OverflowError, "number too small to fit in target type"),
    ("M.try_float_mult('1')", TypeError, "must be real number, not str"),
    ("S.exact_page_sizes(5)", TypeError, "'int' object is not an instance of 'Sequence'"),
    ("S.exact_page_sizes([-1])", OverflowError, "can't convert negative int to unsigned"),
    ("M()", TypeError, "cannot create .*ModeSpec.* instances"),
    ("P.Progress()", TypeError, "cannot create .*Progress.* instances"),
    ("W.ChunkCompressor()", TypeError, "cannot create .*ChunkCompressor.* instances"),
    ("chunk.write_page(-1)", OverflowError, "can't convert negative int to unsigned"),
    ("chunk.write_page('a')", TypeError, f"'str' {NO_INDEX}"),
    ("reader.chunk_decompressor(meta, None)", TypeError, "'None' is not an instance of 'str'"),
    ("reader.chunk_decompressor(meta, 'int64')", RuntimeError, "unknown data type: int64"),
    # options that do not go with the numbers
    ("back(x, C(13))", RuntimeError, r"compression level may not exceed 12 \(was 13\)"),
    ("compress(x.astype('u1'), C())", RuntimeError, "compressing 8-bit types"),
    ("back(x, C(paging_spec=S.exact_page_sizes([500, 400])))", RuntimeError,
     "InvalidArgument error: paging spec suggests 900 numbers but 1000 were given"),
    ("back(x, C(paging_spec=S.exact_page_sizes([500, 0, 500])))", RuntimeError,
     "cannot write data page of 0 numbers"),
    ("back(x, C(mode_spec=M.try_float_mult(60.0)))", RuntimeError,
     "unable to use float mode for ints"),
    ("back(x.astype('f4'), C(mode_spec=M.try_int_mult(60)))", RuntimeError,
     "unable to use int mult mode on floats"),
    ("back(x.astype('f4'), C(mode_spec=M.try_float_mult(0.0)))", RuntimeError, "was invalid for"),
    ("back(x.astype('f8'), C(mode_spec=M.try_float_quant(53)))", RuntimeError, "was invalid for"),
    ("back(x.astype('u2'), C(mode_spec=M.try_int_mult(0)))", RuntimeError, "was invalid for"),
    ("back(x, C(delta_spec=D.try_consecutive(8)))", RuntimeError,
     r"consecutive delta order may not exceed 7 \(was 8\)"),
    ("back(x.astype('i4'), C(delta_spec=D.try_conv1(33)))", RuntimeError,
     r"conv1 delta order may not exceed 32 \(was 33\)"),
    ("back(x, C(delta_spec=D.try_conv1(1)))", RuntimeError,
     "Conv1 delta encoding is only supported for types with 32 or fewer bits"),
    ("files.chunk_compressor(x[:0], C())", RuntimeError, "cannot compress empty chunk"),
    ("files.chunk_compressor(np.zeros((1 << 24) + 1, 'u2'), C(0))", RuntimeError,
     r"count may not exceed 16777216 per chunk \(was 16777217\)"),
    ("chunk.write_page(1)", RuntimeError, r"page idx exceeds num pages \(1 >= 1\)"),
    ("chunk.write_page(99)", RuntimeError, r"page idx exceeds num pages \(99 >= 1\)"),
    ("page_into(page, 1000, d2[:999])", RuntimeError, SIZE + r" \(999 < 1000\)"),
    ("page_into(page, 1001, d)", RuntimeError, SIZE + r" \(1000 < 1001\)"),
    # damaged files
    ("decompress(None)", TypeError, f"'None' is {NOT_BYTES}"),
    ("decompress('abc')", TypeError, f"'str' object is {NOT_BYTES}"),
    ("into('abc', d)", TypeError, f"'str' object is {NOT_BYTES}"),
    ("decompress(b'')", RuntimeError, SHORT),
    ("decompress(b'pco')", RuntimeError, SHORT),
    ("decompress(b'abc')", RuntimeError, SHORT),
    *((f"decompress(f[:{n}])", RuntimeError, SHORT) for n in (4, 5, 6, 9, 10, 20, 500, -1)),
    *((f"into(f[:{n}], d2)", RuntimeError, SHORT) for n in (4, 5, 6, 10, 20, 500, -1)),
    ("decompress(e[:-1])", RuntimeError, SHORT),
    ("decompress(b'abcdefgh')", RuntimeError, "Corruption.*magic header does not match"),
    ("decompress(f[:4] + b'\\x09' + f[5:])", RuntimeError,
     r"standalone version \(9\) exceeds max supported \(3\)"),
    ("decompress(e[:-1] + b'\\xee')", RuntimeError, "unknown number type byte: 238"),
    ("decompress(f[:-1] + i4[9:])", RuntimeError, "does not match chunk's number type of 1"),
    ("into(f[:-1] + i4[9:], d2)", RuntimeError, "does not match chunk's number type of 1"),
    ("into(first[:-1] + b'\\xee', d2[:301])", RuntimeError,
     "does not match chunk's number type of 238"),
    ("W.FileDecompressor.new(b'\\x05\\x00')", RuntimeError, TOO_NEW),
    ("W.FileDecompressor.new(b'\\x04')", RuntimeError, SHORT),
    ("W.FileDecompressor.new('ab')", TypeError, f"'str' object is {NOT_BYTES}"),
    ("reader.chunk_decompressor(meta[:3], 'i64')", RuntimeError, SHORT),
    ("reader.chunk_decompressor(b'\\xff' * 30, 'i64')", RuntimeError, "Corruption"),
    ("page_into(page[:-1], 1000, d)", RuntimeError, SHORT),
    ("page_into(b'', 1000, d)", RuntimeError, SHORT),
]  # fmt: skip


@pytest.fixture(scope="module", params=["numpact.pcodec", "pcodec"])
def where(request: pytest.FixtureRequest) -> dict[str, Any]:
    if request.param == "pcodec":
        return names(pytest.importorskip("pcodec"))
    return names(ours)


@pytest.mark.parametrize(("call", "kind", "words"), WRONG_CALLS)
def test_classes_and_words(
    call: str, kind: type[Exception], words: str, where: dict[str, Any]
) -> None:
    with pytest.raises(kind, match=words):
        eval(call, where)


def _uniform(number_type: int, chunk_type: int) -> bytes:
    """A file whose header names a type, and a chunk of another one."""
    file = bytearray(numpact.compress([1, 2, 3], paging=3))
    assert numpact._core.read_header(bytes(file))["uniform_type"] == "i64"
    start = numpact.inspect(bytes(file)).chunks[0].offset
    file[5], file[start] = number_type, chunk_type
    return bytes(file)


@pytest.mark.parametrize(
    ("number_type", "chunk_type", "name"), [(4, 99, "I64"), (4, 1, "I64"), (2, 4, "U64")]
)
def test_chunks_that_differ_from_the_header(
    pcodec: Any, number_type: int, chunk_type: int, name: str
) -> None:
    words = f"number type of {chunk_type} does not match file's uniform number type of {name}"
    with pytest.raises(RuntimeError, match=words):
        pcodec.standalone.simple_decompress(_uniform(number_type, chunk_type))


def test_the_place_in_the_file_is_kept() -> None:
    file = ours.standalone.simple_compress(numpact.decompress(_uniform(4, 4)), ours.ChunkConfig())
    with pytest.raises(numpact.TruncatedError) as caught:
        ours.standalone.simple_decompress(file[:-1])
    assert caught.value.offset == len(file) - 1
    assert f"byte {len(file) - 1}" in str(caught.value)
