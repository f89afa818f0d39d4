# SPDX-License-Identifier: Apache-2.0
"""Messages name what Python's users know: options, types of NumPy, types as Arrow prints them."""

from __future__ import annotations

import datetime
import decimal
import fractions
import inspect
import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import numpact
from numpact import cvc
from numpact._errors import python_words

FILE = numpact.compress(np.arange(5000), paging=1000, trailer=True)
FLOATS = numpact.compress(np.arange(5000.0))

# Names of C++, formats of Arrow's C interface, signatures of the extension.
FOREIGN = re.compile(
    r"\w::\w|DecodeLimits|max_output_bytes|\bkInvalid|\bstd\b|incompatible function|ndarray\["
    r"|_core\b|Arrow column of (?:format|type) '|\btry_[a-z]"
)


def write(dtype: Any, x: Any, **how: Any) -> None:
    with numpact.Writer(io.BytesIO(), dtype, **how) as writer:
        writer.write(x)


OBJECTS: dict[str, Any] = {
    "str": "no", "None": None, "object": object(), "int": 2**70, "dict": {1: 2}, "set": {1},
    "range of ints": [2**70], "Decimal": [decimal.Decimal("1.5")], "complex": [1j],
    "Fraction": [fractions.Fraction(1, 3)], "time": [datetime.time(1)], "lists": [[1], [2, 3]],
    "strings": ["a", "b"], "bytes": [b"a"], "nothing": [None, 1], "masked": [np.ma.masked],
    "objects": np.array([1, None]), "complex128": np.zeros(2, "c16"),
    "longdouble": np.longdouble(1), "fields": np.zeros(2, "i4,f4"), "str array": np.array(["a"]),
    "bytes array": np.array([b"a"]),
    "generator": (i for i in range(3)), "class": int, "chars": memoryview(b"ab").cast("c"),
}  # fmt: skip

# By what takes them: each with one wrong argument.
ENTRY_POINTS: dict[str, Callable[[Any], Any]] = {
    "compress": numpact.compress,
    "Writer f8": lambda x: write("f8", x),
    "Writer i4": lambda x: write("i4", x),
    "Writer M8": lambda x: write("M8[ns]", x),
    "Writer dtype": lambda x: write(x, [1.0]),
    "Writer target": lambda x: numpact.Writer(x, "f8") if not isinstance(x, str) else write(x, 1),
    "explain": numpact.explain,
    "compress_arrow": numpact.compress_arrow,
    "decompress": numpact.decompress,
    "decompress_arrow": numpact.decompress_arrow,
    "out": lambda x: numpact.decompress_into(FILE, x),
    "read_into": lambda x: numpact.open(FILE).read_into(0, x),
    "read": lambda x: numpact.open(FILE).read(x, 1),
    "read count": lambda x: numpact.open(FILE).read(0, x),
    "chunks": lambda x: numpact.open(FILE, chunks=[x])[:],
    "chunk": lambda x: numpact.open(FILE, chunks=[numpact.Chunk(x, 0, 0, 1)])[:],
    "chunks within": lambda x: _trailer().chunks_within(x),
    "append": lambda x: numpact.append("/no/such/file", x),
    **{f"{name.__name__} of": (lambda x, f=name: f(x) if not isinstance(x, str) else f(b"a"))
       for name in (numpact.inspect, numpact.open, numpact.verify, numpact.read_trailer,
                    numpact.salvage, numpact.add_trailer)},
    **{f"compress {name}=": (lambda x, o=name: numpact.compress([1], **{o: x}))
       for name in ("level", "mode", "delta", "paging", "threads", "compat", "trailer",
                    "favor_decode_speed", "decode_weight", "recipe", "max_bytes")},
    **{f"Writer {name}=": (lambda x, o=name: write("f8", [1.0], **{o: x}))
       for name in ("level", "mode", "delta", "paging", "threads", "compat", "trailer",
                    "favor_decode_speed", "decode_weight", "recipe", "max_bytes")},
    "Recipe": numpact.Recipe,
    "choose_recipe": numpact.choose_recipe,
    **{f"choose_recipe {name}=": (lambda x, o=name: numpact.choose_recipe([1], **{o: x}))
       for name in ("paging", "level", "mode", "delta", "compat", "favor_decode_speed",
                    "decode_weight")},
    **{f"decompress {name}=": (lambda x, o=name: numpact.decompress(FILE, **{o: x}))
       for name in ("threads", "max_output", "dtype", "trailer", "device", "framework")},
    **{f"open {name}=": (lambda x, o=name: numpact.open(FILE, **{o: x})[:])
       for name in ("threads", "max_output", "dtype", "trailer", "chunks")},
    **{f"salvage {name}=": (lambda x, o=name: numpact.salvage(FILE, **{o: x}))
       for name in ("threads", "max_output", "dtype")},
}  # fmt: skip


def _trailer() -> numpact.Trailer:
    trailer = numpact.read_trailer(FILE)
    assert trailer is not None
    return trailer


@pytest.mark.parametrize("entry_point", ENTRY_POINTS)
def test_wrong_objects(entry_point: str) -> None:
    """All that is not taken is refused by an error of numpact's own, in its users' words."""
    refused = 0
    for name, x in OBJECTS.items():
        try:
            ENTRY_POINTS[entry_point](x)
        except (numpact.Error, OSError) as error:
            refused += 1
            assert not FOREIGN.search(str(error)), (name, str(error))
            assert str(error)
    assert refused >= 10


@pytest.mark.parametrize(
    ("x", "words"),
    [
        ([decimal.Decimal("1.5")], "Decimal"),
        ([1, fractions.Fraction(1, 3)], "item 1 .*Fraction"),
        ([0.5, "a"], "item 1 .*str"), ([None], "item 0 is None"), ([1j], "complex"),
        ([datetime.time(1)], "time"), ([2**70], "int 1180591620717411303424, .*range of 64 bits"),
        (-(2**63) - 1, "range of 64 bits"), ([10**400, 0.5], "int .*range"),
        (np.array([1, decimal.Decimal(2)]), "Python objects.*int"),
        (np.zeros(1, "c8"), "complex64"), (np.zeros(1, "i4,f4"), "f0"),
        ((i for i in "a"), "generator"),
    ],
)  # fmt: skip
def test_types_by_the_names_that_python_has(x: Any, words: str) -> None:
    for entry_point in (numpact.compress, lambda x: write("f8", x)):
        with pytest.raises(numpact.TypeMismatchError, match=words):
            entry_point(x)


def test_types_as_arrow_prints_them() -> None:
    pa = pytest.importorskip("pyarrow")
    types = [
        pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(),
        pa.binary_view(), pa.binary(3), pa.null(), pa.decimal128(5, 2), pa.decimal256(40, 3),
        pa.list_(pa.int64()), pa.large_list(pa.string()), pa.list_(pa.float32(), 2),
        pa.list_(pa.list_(pa.int8())), pa.map_(pa.string(), pa.int32()),
        pa.month_day_nano_interval(), pa.dictionary(pa.int8(), pa.string()),
        pa.dictionary(pa.int32(), pa.float64(), ordered=True),
        pa.list_(pa.timestamp("us", "Europe/Oslo")), pa.list_(pa.time32("s")),
        pa.list_(pa.struct([("a", pa.bool_()), ("b", pa.date32()), ("c", pa.duration("ms"))])),
        pa.list_(pa.time64("ns")), pa.list_(pa.float16()), pa.list_(pa.date64()),
        pa.run_end_encoded(pa.int32(), pa.float64()), pa.list_(pa.timestamp("s")),
    ]  # fmt: skip
    for kind in types:
        for entry_point in (numpact.compress, numpact.compress_arrow, numpact.explain):
            with pytest.raises(numpact.TypeMismatchError) as caught:
                entry_point(pa.array([], kind))
            assert f"type {kind} " in str(caught.value)


def test_structs_within_structs() -> None:
    pa = pytest.importorskip("pyarrow")
    column = pa.array([{"a": {"b": 1, "c": "x"}}])
    with pytest.raises(numpact.TypeMismatchError, match="type struct<b: int64, c: string> "):
        numpact.compress(column)
    deep = pa.int8()
    for _ in range(20):
        deep = pa.list_(deep)
    with pytest.raises(numpact.TypeMismatchError) as caught:
        numpact.compress(pa.array([], deep))
    assert len(str(caught.value)) < 200, "what is nested deeply is left out"
    wide = pa.list_(pa.struct([(f"c{i}", pa.int8()) for i in range(1000)]))
    with pytest.raises(numpact.TypeMismatchError) as caught:
        numpact.compress(pa.array([], wide))
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("limit", [0, 1, 7, 39_999])
@pytest.mark.parametrize(
    "read",
    [
        lambda n: numpact.decompress(FILE, max_output=n),
        lambda n: numpact.decompress(FLOATS, max_output=n),
        lambda n: numpact.decompress(FILE, threads=2, trailer="ignore", max_output=n),
        lambda n: numpact.decompress_into(FILE, np.zeros(5000, np.int64), max_output=n),
        lambda n: numpact.open(FILE, max_output=n)[:],
        lambda n: numpact.open(FLOATS, max_output=n)[:],
        lambda n: numpact.open(FILE, max_output=n, chunks=numpact.open(FILE).chunks)[:],
        lambda n: numpact.inspect(FILE, max_output=n),
        lambda n: numpact.verify(FLOATS, max_output=n),
        lambda n: numpact.salvage(FLOATS, max_output=n),
        lambda n: numpact.add_trailer(FLOATS, max_output=n),
        lambda n: numpact.decompress_arrow(FLOATS, max_output=n),
    ],
)
def test_limits_by_the_options_name(read: Callable[[int], Any], limit: int) -> None:
    with pytest.raises(numpact.LimitExceededError, match=r"\bmax_output\b") as caught:
        read(limit)
    assert not FOREIGN.search(str(caught.value))


def test_damage_is_reported_in_plain_words() -> None:
    reads: list[Callable[[bytes], Any]] = [
        numpact.decompress,
        lambda data: numpact.decompress(data, trailer="ignore"),
        lambda data: numpact.open(data)[:],
        numpact.inspect,
        lambda data: numpact.verify(data).check(),
        numpact.read_trailer,
        numpact.salvage,
    ]
    seen = set()
    for at in range(0, len(FILE), 3):
        damaged = bytearray(FILE)
        damaged[at] ^= 0xFF
        for read in reads:
            for data in (bytes(damaged), FILE[:at]):
                try:
                    read(data)
                except numpact.Error as error:
                    seen.add(str(error))
    assert len(seen) > 20
    assert not [words for words in seen if FOREIGN.search(words)]


def _sources() -> Iterator[str]:
    root = Path(__file__).resolve().parents[3]
    for folder in ("src", "include", "python/src"):
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            yield path.read_text()


def test_every_option_that_the_library_names_has_a_name_in_python() -> None:
    """Messages of the library say DecodeLimits::max_output_bytes; Python's say max_output."""
    texts = {
        literal
        for source in _sources()
        for literal in re.findall(r'"((?:[^"\\\n]|\\.)*)"', source)
        if re.search(r"[A-Za-z]::[a-z]\w*", literal) and " " in literal
    }
    if not texts:
        pytest.skip("the sources of the library are not here")
    functions = [numpact.decompress, numpact.open, cvc.Writer, cvc.Reader, numpact._core.CvcReader]
    options = {"max_numbers"}  # the extension sets none
    for function in functions:
        made = function.__init__ if inspect.isclass(function) else function
        known = getattr(made, "__nb_signature__", None)
        options |= (
            set(re.findall(r"(\w+):", str(known)))
            if known
            else set(inspect.signature(made).parameters)
        )
    for text in texts:
        words = python_words(text)
        assert "::" not in words, text
        for name in re.findall(r"::(\w+)", text):
            assert python_words(f"ReadConfig::{name}") in options, text


def test_names_of_files_stay_what_they_are() -> None:
    assert python_words("cannot open Foo::bar_try_it") == "cannot open Foo::bar_try_it"
