# SPDX-License-Identifier: Apache-2.0
"""One rule for numbers and times that become another type: the same values, or an error."""

from __future__ import annotations

import datetime
import io
import pickle
import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import numpact
from numpact._convert import converted

TYPES = ["?", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8"]
EDGES: list[int | float] = [
    0, 1, -1, 2, 2047, 2048, 2049, 65504, 65505, 2**24, 2**24 + 1, 2**53, 2**53 + 1,
    *(sign * 2**bits + more for bits in (7, 8, 15, 16, 31, 32, 63, 64) for sign in (1, -1)
      for more in (-1, 0, 1)),
    2**63 - 512, 2**63 - 1024, 2**64 - 2048, 0.5, 0.1, 1e30, 1e300, 1e-320, 6e-8, -0.0,
    float("nan"), float("inf"), float("-inf"),
]  # fmt: skip

SPECIAL = ("nan", "inf", "-inf", "-0.0")


def exact(number: Any) -> Fraction | str:
    """A number of NumPy's as it is; those that no fraction is, by name."""
    value = number.item()
    if isinstance(value, float) and (str(value) in SPECIAL):
        return str(value)
    return Fraction(value)


def holds(dtype: np.dtype[Any], value: Fraction | str) -> bool:
    """Whether a type has a value, without NumPy's conversions."""
    if isinstance(value, str):
        return dtype.kind == "f"
    if dtype.kind == "b":
        return value in (0, 1)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return value.denominator == 1 and int(limits.min) <= value <= int(limits.max)
    finfo = np.finfo(dtype)
    if abs(value) > Fraction(float(finfo.max)):
        return False
    steps = value / Fraction(float(finfo.smallest_subnormal))
    mantissa = abs(steps.numerator)
    while mantissa and mantissa % 2 == 0:
        mantissa //= 2
    return steps.denominator == 1 and mantissa.bit_length() <= finfo.nmant + 1


def samples(dtype: str) -> list[Any]:
    kind = np.dtype(dtype)
    out = []
    for value in EDGES:
        fits = isinstance(value, int) and holds(kind, Fraction(value))
        if kind.kind == "f" and not isinstance(value, int):
            with np.errstate(over="ignore"):
                out.append(np.array([value]).astype(kind))
        elif fits:
            out.append(np.array([value], kind))
    return out


@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("target", TYPES)
def test_numbers(source: str, target: str) -> None:
    expected = np.dtype(target)
    for array in samples(source):
        value = exact(array[0])
        if holds(expected, value):
            found = converted(array, expected)
            assert found.dtype == expected
            assert exact(found[0]) == value
        else:
            with pytest.raises(numpact.TypeMismatchError, match=r"element 0 is .* does not hold"):
                converted(array, expected)


UNITS = ["Y", "2Y", "M", "5M", "W", "D", "h", "m", "s", "25s", "ms", "us", "ns", "ps", "fs", "as"]
SECONDS = {"W": 604_800, "D": 86_400, "h": 3_600, "m": 60, "s": 1}
LENGTHS = {unit: Fraction(seconds) for unit, seconds in SECONDS.items()} | {
    unit: Fraction(1, 1000**power)
    for power, unit in enumerate(("ms", "us", "ns", "ps", "fs", "as"), 1)
}
DAY = 86_400


def first_day(month: int) -> int:
    """Days from 1970-01-01 to the first of the month, that far from January 1970."""
    year, rest = 1970 + month // 12, month % 12 + 1
    eras = (year - 2000) // 400
    day = datetime.date(year - 400 * eras, rest, 1) - datetime.date(1970, 1, 1)
    return day.days + 146_097 * eras


def meaning(kind: str, unit: str, count: int) -> tuple[str, Fraction]:
    """Seconds, or the months of a duration of months."""
    name = unit.lstrip("0123456789")
    count *= int(unit[: len(unit) - len(name)] or 1)
    if name not in "YM":
        return "seconds", count * LENGTHS[name]
    months = count * (12 if name == "Y" else 1)
    if kind == "m8":
        return "months", Fraction(months)
    return "seconds", Fraction(first_day(months) * DAY)


@pytest.mark.parametrize("kind", ["M8", "m8"])
@pytest.mark.parametrize("target", UNITS)
def test_times(kind: str, target: str) -> None:
    rng = random.Random(target)
    counts = [0, 1, -1, 12, -24, 60, 365, 86_400, 10**9, 2**62, 2**63 - 1, -(2**63) + 1]
    counts += [rng.randrange(-(10**5), 10**5) * rng.choice([1, 12, 60, 1000]) for _ in range(10)]
    expected = np.dtype(f"{kind}[{target}]")
    for unit in UNITS:
        for count in counts:
            array = np.array([count]).view(f"{kind}[{unit}]")
            value = meaning(kind, unit, count)
            try:
                found = int(converted(array, expected).view(np.int64)[0])
            except numpact.TypeMismatchError:
                assert not is_held(kind, target, value), (unit, count)
            else:
                assert found != -(2**63), (unit, count)
                assert meaning(kind, target, found) == value, (unit, count)


def is_held(kind: str, unit: str, value: tuple[str, Fraction]) -> bool:
    """Whether a count of a unit means this; instants past the years that Python has count as no."""
    if kind == "M8" and abs(value[1]) > 10**17:
        return False
    if kind == "M8" and unit[-1] in "YM":
        guess = round(value[1] / DAY / Fraction(30.436875)) if abs(value[1]) < 10**15 else 0
        step = {"Y": 12, "2Y": 24, "M": 1, "5M": 5}[unit]
        near = range(guess - 2, guess + 3)
        return any(month % step == 0 and first_day(month) * DAY == value[1] for month in near)
    what, one = meaning(kind, unit, 1)
    counts = value[1] / one
    return what == value[0] and counts.denominator == 1 and abs(counts) < 2**63


@pytest.mark.parametrize("kind", ["M8", "m8"])
@pytest.mark.parametrize(("source", "target"), [("D", "ns"), ("ns", "D"), ("Y", "M"), ("s", "s")])
def test_nat_stays_nat(kind: str, source: str, target: str) -> None:
    array = np.array(["NaT", 0, "NaT"], f"{kind}[{source}]")
    found = converted(array, np.dtype(f"{kind}[{target}]"))
    assert np.isnat(found).tolist() == [True, False, True]
    nameless = np.array(["NaT"], kind)
    assert np.isnat(converted(nameless, np.dtype(f"{kind}[{target}]"))).all()


@pytest.mark.parametrize(
    ("array", "target"),
    [
        (np.array([1]), "M8[ns]"), (np.array([1.0]), "m8[s]"), (np.array([True]), "M8[s]"),
        (np.array([1], "M8[s]"), "i8"), (np.array([1], "m8[s]"), "f8"),
        (np.array([1], "m8[s]"), "?"), (np.array([1], "m8[s]"), "M8[s]"),
        (np.array([1], "M8[s]"), "m8[s]"), (np.array([1], "m8[Y]"), "m8[D]"),
        (np.array([1], "m8[D]"), "m8[M]"), (np.array([1]).view("M8"), "M8[s]"),
        (np.array([1], "m8"), "m8[s]"), (np.array([1j]), "f8"), (np.array(["1"]), "i8"),
        (np.array([b"1"]), "i8"), (np.zeros(1, "i4,f4"), "f8"), (np.array([1], object), "i8"),
    ],
)  # fmt: skip
def test_kinds_that_are_not_converted(array: Any, target: str) -> None:
    with pytest.raises(numpact.TypeMismatchError):
        converted(array, np.dtype(target))
    expected = np.dtype(target)
    assert converted(array[:0], expected).dtype == expected, "nothing is anything"


def test_long_doubles() -> None:
    assert converted(np.array([0.5, np.nan], np.longdouble), np.dtype("f8"))[0] == 0.5
    assert converted(np.array([3], np.longdouble), np.dtype("u1")).tolist() == [3]
    with pytest.raises(numpact.TypeMismatchError, match=r"longdouble|float128|float64"):
        converted(np.array([1], np.longdouble) / 3, np.dtype("f4"))


def test_the_first_that_differs_is_named() -> None:
    many = np.zeros(200_000)
    many[[150_000, 170_000]] = 0.1, 7.5
    with pytest.raises(numpact.TypeMismatchError) as caught:
        converted(many, np.dtype("f4"))
    assert "element 150000 is 0.1 of float64" in str(caught.value)
    assert "float32" in str(caught.value)
    grid = np.array([[1, 2], [300, 4]])
    with pytest.raises(numpact.TypeMismatchError, match=r"element \(1, 0\) is 300 of int64.*uint8"):
        converted(grid, np.dtype("u1"))
    late = np.array(["2024-01-01T00:00:00.5"], "M8[ms]")
    with pytest.raises(
        numpact.TypeMismatchError, match=r"2024-01-01T00:00:00.500.*datetime64\[s\]"
    ):
        converted(late, np.dtype("M8[s]"))


def test_shapes_orders_and_bytes() -> None:
    grid = np.arange(12).reshape(3, 4)
    for array in (grid.T, grid[:, ::-2], grid.astype(">i8"), np.asfortranarray(grid)):
        found = converted(array, np.dtype("f4"))
        np.testing.assert_array_equal(found, array)
        assert found.dtype.isnative
    swapped = np.array(["2024-01-02", "NaT"], ">M8[D]")
    assert converted(swapped, np.dtype("M8[ns]"))[0] == np.datetime64("2024-01-02")
    numbers = np.arange(3.0)
    assert converted(numbers, np.dtype("f8")) is numbers


# ---- the functions that convert ----


def written(dtype: Any, *blocks: Any) -> bytes:
    with io.BytesIO() as sink:
        with numpact.Writer(sink, dtype) as writer:
            for block in blocks:
                writer.write(block)
        return sink.getvalue()


def appended(dtype: Any, block: Any, folder: Path) -> bytes:
    path = folder / "a.pco"
    with numpact.Writer(path, dtype) as writer:
        writer.write(np.zeros(1, dtype))
    numpact.append(path, block, dtype=dtype)
    return path.read_bytes()


DAY_TWO = np.datetime64("2024-01-02", "D")
CASES: list[tuple[str, Any, Any]] = [
    ("M8[ns]", np.array([DAY_TWO]), [DAY_TWO]),
    ("M8[ns]", np.array([DAY_TWO, "NaT"], ">M8[us]"), [DAY_TWO, np.datetime64("NaT")]),
    ("M8[ns]", [DAY_TWO, np.datetime64("2024-01-02T00", "h")], [DAY_TWO, DAY_TWO]),
    ("M8[D]", np.array([DAY_TWO], "M8[as]".replace("as", "ns")), [DAY_TWO]),
    ("M8[M]", np.array(["2024-02-01"], "M8[D]"), [np.datetime64("2024-02")]),
    ("M8[us]", datetime.datetime(2024, 1, 2), [DAY_TWO]),
    ("M8[D]", [datetime.date(2024, 1, 2)], [DAY_TWO]),
    ("m8[ms]", [datetime.timedelta(seconds=3)], [np.timedelta64(3, "s")]),
    ("m8[h]", np.array([7200], "m8[s]"), [np.timedelta64(2, "h")]),
    ("f2", np.array([0.5, np.inf]), [0.5, np.inf]),
    ("f4", np.array([2**24], "i8"), [2**24]),
    ("f8", [1, 2.5, np.float32(0.5)], [1, 2.5, 0.5]),
    ("i2", np.array([5.0, -3.0]), [5, -3]),
    ("u1", np.array([255], ">u8"), [255]),
    ("int64", [True, 5], [1, 5]),
    ("?", np.array([0, 1, 1]), [False, True, True]),
    (">i4", np.array([5], "i1"), [5]),
]  # fmt: skip


@pytest.mark.parametrize(("dtype", "block", "values"), CASES)
@pytest.mark.parametrize("entry_point", ["Writer", "append"])
def test_blocks_are_converted(
    entry_point: str, dtype: str, block: Any, values: list[Any], tmp_path: Path
) -> None:
    file = written(dtype, block) if entry_point == "Writer" else appended(dtype, block, tmp_path)
    found = numpact.decompress(file, dtype=dtype)[-len(values) :]
    assert found.dtype == np.dtype(dtype)
    for one, value in zip(found, values, strict=True):
        assert one == value or (np.isnat(one) and np.isnat(value))


WRONG: list[tuple[str, Any, str]] = [
    ("M8[ns]", np.array(["9999-01-01"], "M8[D]"), r"9999-01-01 .*datetime64\[ns\]"),
    ("M8[s]", np.array([1], "M8[ms]"), "00.001"),
    ("M8[ns]", np.array([5]), "int64 values are not converted"),
    ("M8[ns]", [5], "unit"),
    ("M8[s]", np.array([5]).view("M8"), "unit"),
    ("m8[s]", np.array([5], "m8[M]"), "months"),
    ("int64", np.array([5], "M8[s]"), "int64"),
    ("i4", np.array([2**31]), "2147483648 of int64, which int32"),
    ("uint64", [3, -1], "element 1 is -1 of int64, which uint64"),
    ("f4", [0.5, 0.1], "element 1 is 0.1 of float64, which float32"),
    ("f8", [2**53 + 1], "9007199254740993 of int64, which float64"),
    ("int64", [1.0, 1.5], "element 1 is 1.5"),
    ("int64", [-0.0], "-0.0"),
    ("int64", [np.nan], "nan"),
    ("?", [0, 2], "2 of int64, which bool"),
    ("M8[us]", [datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone.utc)], "time zone"),
]  # fmt: skip


@pytest.mark.parametrize(("dtype", "block", "words"), WRONG)
def test_blocks_are_refused(dtype: str, block: Any, words: str, tmp_path: Path) -> None:
    sink = io.BytesIO()
    with numpact.Writer(sink, dtype) as writer:
        with pytest.raises(numpact.TypeMismatchError, match=words):
            writer.write(block)
        assert writer.count == 0
    with pytest.raises(numpact.TypeMismatchError, match=words):
        appended(dtype, block, tmp_path)
    assert len(numpact.open(tmp_path / "a.pco")) == 1


@pytest.mark.parametrize("dtype", ["f8", "u1", "M8[ns]", "?"])
def test_empty_blocks_have_any_type(dtype: str) -> None:
    blocks = [[], np.empty(0), np.empty(0, "M8[s]"), np.empty(0, object), np.empty((0, 3), "U1")]
    assert numpact.decompress(written(dtype, *blocks)).size == 0


def test_writers_need_units() -> None:
    for dtype in ("M8", "m8", np.dtype("M8")):
        with pytest.raises(numpact.TypeMismatchError, match="unit"):
            numpact.Writer(io.BytesIO(), dtype)


def test_appending_times_needs_their_unit(tmp_path: Path) -> None:
    path = tmp_path / "a.pco"
    days = np.array(["2024-01-01"], "M8[D]")
    path.write_bytes(numpact.compress(days))
    with pytest.raises(numpact.TypeMismatchError, match="state a dtype"):
        numpact.append(path, days)
    numpact.append(path, days.astype("M8[ns]"), dtype="M8[D]")
    assert (numpact.open(path, dtype="M8[D]")[:] == days[0]).all()
    with pytest.raises(numpact.TypeMismatchError, match="holds int64"):
        numpact.append(path, [1.0], dtype="f8")


# ---- sequences, in which NumPy would round or guess ----


@pytest.mark.parametrize(
    ("x", "words"),
    [
        ([np.int64(2**63 - 1), np.uint64(2**63)], "no one type.*item 0: .*9223372036854775807"),
        ([0.5, 2**60 + 1], "item 1, the int 1152921504606846977, does not fit float64"),
        ([np.uint8(1), np.float32(0.5), np.int64(2**53 + 1)], "item 2: .*9007199254740993"),
        ([np.datetime64("9999", "Y"), np.datetime64(0, "ns")], r"9999.*datetime64\[ns\]"),
        ([np.timedelta64(1, "s"), 5], "unit"),
        ([np.float64(0.5), 2**53 + 1], "9007199254740993"),
        ([np.array([2**63 + 1], "u8"), np.array([-1])], "no one type|uint64"),
    ],
)
def test_mixtures_that_lose_something(x: Any, words: str) -> None:
    with pytest.raises(numpact.TypeMismatchError, match=words):
        numpact.compress(x)


@pytest.mark.parametrize(
    "x",
    [[np.ma.masked, 1.0], [np.ma.array([1, 2], mask=[False, True])],
     ([1], [np.ma.masked]), np.ma.array([1, 2], mask=[True, False])],
)  # fmt: skip
def test_masked_items_are_refused(x: Any) -> None:
    entry_points: list[Callable[[], object]] = [
        lambda: numpact.compress(x),
        lambda: written("f8", x),
    ]
    for entry_point in entry_points:
        with pytest.raises(numpact.InvalidArgumentError, match="mask"):
            entry_point()


def test_mixtures_that_lose_nothing() -> None:
    found = numpact.decompress(numpact.compress([np.float32(0.5), 1, True, np.int8(3)]))
    assert found.tolist() == [0.5, 1, 1, 3]
    times = [np.datetime64("2024-01-01", "D"), np.datetime64(1, "ns"), np.datetime64("NaT")]
    counts = numpact.decompress(numpact.compress(times), dtype="M8[ns]")
    assert counts.tolist()[:2] == [1704067200 * 10**9, 1]
    assert np.isnat(counts[2])


# ---- columns ----


def test_arrow_columns_keep_their_meaning() -> None:
    pa = pytest.importorskip("pyarrow")
    day = 86_400_000
    columns = [
        ("M8[ns]", pa.array([1], pa.timestamp("us")), 1000),
        ("M8[ns]", pa.chunked_array([pa.array([1], pa.date32())]), day * 10**6),
        ("M8[D]", pa.array([2 * day], pa.date64()), 2),
        ("m8[us]", pa.array([3], pa.duration("ms")), 3000),
        ("m8[ns]", pa.array([4], pa.time32("s")), 4 * 10**9),
        ("m8[ns]", pa.array([5], pa.time64("us")), 5000),
        ("int64", pa.array([6], pa.uint8()), 6),
        ("f4", pa.array([7], pa.int64()), 7),
        ("u1", pa.array([True]), 1),
        ("?", pa.array([0], pa.int8()), 0),
        ("f8", pa.array([], pa.null()), None),
    ]
    for dtype, column, count in columns:
        found = numpact.decompress(written(dtype, column)).tolist()
        assert found == ([] if count is None else [count]), column.type


def test_arrow_columns_that_are_refused() -> None:
    pa = pytest.importorskip("pyarrow")
    columns = [
        ("M8[ns]", pa.array([1], pa.timestamp("ns", "UTC")), "zone"),
        ("M8[s]", pa.array([1], pa.timestamp("ms")), "element 0"),
        ("int64", pa.array([1], pa.timestamp("ms")), "int64"),
        ("i4", pa.array([1], pa.date32()), "datetime64"),
        ("M8[ns]", pa.array([1], pa.int64()), "unit"),
        ("M8[ns]", pa.array([1], pa.duration("ns")), "timedelta64"),
        ("f4", pa.array([0.1], pa.float64()), "0.1"),
    ]
    for dtype, column, words in columns:
        with pytest.raises(numpact.TypeMismatchError, match=words):
            written(dtype, column)
    with pytest.raises(numpact.InvalidArgumentError, match="null"):
        written("f8", pa.array([1.0, None]))


def test_columns_of_pandas_and_polars() -> None:
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    days = pd.Series(pd.to_datetime(["2024-01-02"]))
    for column in (days, days.astype("datetime64[s]"), pl.Series([datetime.date(2024, 1, 2)])):
        assert numpact.decompress(written("M8[ms]", column), dtype="M8[ms]")[0] == DAY_TWO
    for zoned in (days.dt.tz_localize("UTC"), pl.Series(days).dt.replace_time_zone("UTC")):
        with pytest.raises(numpact.TypeMismatchError, match="zone"):
            written("M8[ns]", zoned)
    assert numpact.decompress(written("i2", pd.Series([1.0, 2.0]))).tolist() == [1, 2]
    with pytest.raises(numpact.TypeMismatchError, match=r"0\.1"):
        written("f4", pl.Series([0.1]))


def test_fill_values_are_of_the_type() -> None:
    pa = pytest.importorskip("pyarrow")
    column = numpact.decompress_arrow(numpact.compress_arrow(pa.array([1, None], pa.uint8())))
    assert column.to_numpy(fill_value=255).tolist() == [1, 255]
    for wrong in (1.5, 256, -1, None, "a", np.nan, [1, 2]):
        with pytest.raises(numpact.Error):
            column.to_numpy(fill_value=wrong)
    times = pa.array([1, None], pa.timestamp("ns"))
    column = numpact.decompress_arrow(numpact.compress_arrow(times))
    assert np.isnat(column.to_numpy(fill_value=np.datetime64("NaT"))[1])
    assert np.asarray(numpact.decompress_arrow(numpact.compress([1, 2])), "f4").tolist() == [1, 2]
    with pytest.raises(numpact.TypeMismatchError):
        np.asarray(numpact.decompress_arrow(numpact.compress([0.1])), "f4")


# ---- files seen as a type ----


def test_open_as_a_type(tmp_path: Path) -> None:
    path = tmp_path / "a.pco"
    numbers = np.arange(1000)
    path.write_bytes(numpact.compress(numbers, paging=100))
    for dtype in ("M8[ns]", ">M8[s]", ">f8", "u2", np.int64):
        with numpact.open(path, dtype=dtype) as f:
            assert f.dtype == np.dtype(dtype)
            assert f.nbytes == 1000 * f.dtype.itemsize
            plain = np.asarray(f[::3]).astype(f.dtype.newbyteorder("="))
            counts = plain.view(np.int64) if f.dtype.kind == "M" else plain
            np.testing.assert_array_equal(counts, numbers[::3])
            assert f[5].dtype.newbyteorder("=") == f.dtype.newbyteorder("=")
            again = pickle.loads(pickle.dumps(f))
            assert again.dtype == f.dtype
            np.testing.assert_array_equal(again[:], f[:])
            assert next(iter(f)).dtype == f.dtype
    with numpact.open(path, dtype="u1") as f:
        assert f[:256].dtype == np.uint8
        with pytest.raises(numpact.TypeMismatchError, match="256"):
            f[200:300]
    for wrong in ("c16", "M8", "foo", object):
        with pytest.raises(numpact.TypeMismatchError):
            numpact.open(path, dtype=wrong)
    with numpact.open(path) as f:
        assert np.asarray(f, ">f4").dtype == np.dtype(">f4")
        assert np.asarray(f, object)[3] == 3
        with pytest.raises(numpact.TypeMismatchError, match="256"):
            np.asarray(f, "u1")


def test_salvage_as_a_type() -> None:
    file = bytearray(numpact.compress(range(1000), paging=250, trailer=True))
    damaged = numpact.read_trailer(file)
    assert damaged is not None
    file[damaged.chunks[2].offset + 9] ^= 1
    numbers, lost = numpact.salvage(file, dtype=">M8[s]")
    assert (numbers.dtype, numbers.size, len(lost)) == (np.dtype(">M8[s]"), 750, 1)
    with pytest.raises(numpact.TypeMismatchError, match="256"):
        numpact.salvage(file, dtype="u1")
