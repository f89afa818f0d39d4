# SPDX-License-Identifier: Apache-2.0
"""docs/text-to-numbers.md, sentence by sentence."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from cli_program import CORRUPT, FAILURE, USAGE
from folder import entries_of, manifest_of
from programs import Tool, tool  # noqa: F401

F64_DIGITS = "0.1000000000000000055511151231257827021181583404541015625"


class Csv:
    """Runs the command on texts."""

    def __init__(self, tool: Tool, folder: Path) -> None:  # noqa: F811
        self.tool, self.folder, self.err = tool, folder, ""

    def file(self, text: str | bytes, name: str) -> Path:
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def read(self, text: str | bytes, *options: object, name: str = "t.csv") -> dict[str, tuple]:
        """The type and the rows of each column."""
        out = self.folder / "out"
        self.err = self.tool.run("compress", self.file(text, name), *options, "--others", "drop",
                                 "-f", "-o", out).err
        return {entry.json["name"]: (type_of(entry.json), entry.rows) for entry in entries_of(out)}

    def skipped(self) -> dict[str, str]:
        return {one["name"]: one["reason"] for one in manifest_of(self.folder / "out")["skipped"]}

    def refused(self, text: str | bytes, *options: object, code: int = FAILURE,
                name: str = "t.csv") -> str:
        out = self.folder / "no"
        ran = self.tool.run("compress", self.file(text, name), *options, "--others", "drop",
                            "-o", out, code=code)
        assert not out.exists() and ran.out == b""
        return ran.err.splitlines()[-1]


def type_of(column: dict) -> str:
    kind, unit = column["logical_type"], column.get("unit")
    zone = f", {column['timezone']}" if "timezone" in column else ""
    if kind == "number":
        return column["number_type"]
    return f"{kind}[{unit}{zone}]" if unit else kind


@pytest.fixture
def csv(tmp_path: Path, tool: Tool) -> Csv:  # noqa: F811
    return Csv(tool, tmp_path)


# ---- Files ----

def test_standard_input(csv: Csv, tmp_path: Path) -> None:
    text = b"a\n1\n2\n"
    for data in [text, gzip.compress(text), pa.compress(text, "zstd", asbytes=True)]:
        csv.tool.run("compress", "-", "--from", "csv", "-f", "-o", tmp_path / "out", stdin=data)
        assert entries_of(tmp_path / "out")[0].rows == [1, 2]


@pytest.mark.parametrize("ending", [".csv.gz", ".csv.zst", ".tsv.gz"])
def test_compressed_files_of_several_members(csv: Csv, ending: str) -> None:
    parts = [b"a\tb\n1\t", b"2\n", b"", b"3\t4\n"]
    if ending != ".tsv.gz":
        parts = [part.replace(b"\t", b",") for part in parts]
    pack = gzip.compress if ending.endswith("gz") else \
        lambda part: pa.compress(part, "zstd", asbytes=True)
    assert csv.read(b"".join(map(pack, parts)), name="t" + ending) == \
        {"a": ("i64", [1, 3]), "b": ("i64", [2, 4])}


def test_cut_compressed_files(csv: Csv) -> None:
    text = b"a\n" + b"123456\n" * 1000
    for data, name in [(gzip.compress(text), "t.csv.gz"),
                       (pa.compress(text, "zstd", asbytes=True), "t.csv.zst")]:
        assert name in csv.refused(data[: len(data) - 9], name=name, code=CORRUPT)


@pytest.mark.wheel_takes(3)
@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be"])
def test_other_encodings_are_named(csv: Csv, encoding: str) -> None:
    line = csv.refused("a,b\n1,2\n".encode(encoding))
    assert encoding[:6].upper() in line


def test_encoding_of_names_and_texts(csv: Csv) -> None:
    assert csv.read("\ufeffa,é\n1,2\n") == {"a": ("i64", [1]), "é": ("i64", [2])}
    line = csv.refused(b"a,b\n\n".replace(b"b", b"gr\xf6\xdfe"))
    assert "line 1" in line and "column 1" in line and "0xf6" in line
    assert csv.read(b"a,b\n1,gr\xf6\xdfe\n2,\xff\n") == {"a": ("i64", [1, 2])}
    assert "'gr\\xf6\\xdfe' is not a number" in csv.err
    csv.read("a,b\n1," + 59 * "x" + "éé\n")
    assert f"'{59 * 'x'}...' is not a number" in csv.err


# ---- Records and fields ----

@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_line_ends(csv: Csv, end: str) -> None:
    expected = {"a": ("i64", [1, 3]), "b": ("i64", [2, 4])}
    assert csv.read(end.join(["a,b", "1,2", "3,4", ""])) == expected
    assert csv.read(end.join(["a,b", "1,2", "3,4"])) == expected
    assert csv.read(end.join(["", "", "a,b", "", "1,2", "", "", "3,4", "", ""])) == expected


@pytest.mark.parametrize("delimiter, name", [(";", "';'"), ("\t", "tab"), ("|", "'|'")])
def test_delimiters_are_recognised(csv: Csv, delimiter: str, name: str) -> None:
    text = "a,b\n1,2.5\n3,4\n".replace(",", delimiter)
    assert csv.read(text) == {"a": ("i64", [1, 3]), "b": ("f64", [2.5, 4.0])}
    assert f"the delimiter is taken to be {name}" in csv.err
    assert csv.read(text, "--delimiter", delimiter) == csv.read(text)
    csv.read(text, "--delimiter", delimiter)
    assert "taken to be" not in csv.err


def test_delimiters_that_are_none(csv: Csv) -> None:
    """A comma in the header is the delimiter; records of other lengths are of another one."""
    assert set(csv.read("a;b,c\n1,2\n")) == {"a;b", "c"}
    assert "delimiter" in csv.refused("a;b\n1;2\n3\n")
    assert "--delimiter" in csv.refused("a;b\n1,2\n", code=CORRUPT)
    assert csv.read('"a,b";c\n1;2\n') == {"a,b": ("i64", [1]), "c": ("i64", [2])}


@pytest.mark.parametrize("name", ["t.tsv", "t.tab"])
def test_tabs(csv: Csv, name: str) -> None:
    assert csv.read("a\tb;c\n1\t2\n", name=name) == {"a": ("i64", [1]), "b;c": ("i64", [2])}


def test_quotes(csv: Csv) -> None:
    text = ('"a,b","c\nd","e""f",plain\n'
            '"1",2,"3","x ""y"""\n'
            '"4"5,"6",7,"say, ""no""\r\nmore"tail\n'
            '8,9,10,5" disk\n')
    assert csv.read(text) == {"a,b": ("i64", [1, 45, 8]), "c\nd": ("i64", [2, 6, 9]),
                              'e"f': ("i64", [3, 7, 10])}
    line = csv.refused('a,b\n1,2\n3,"4\n5,6\n', code=CORRUPT)
    assert "line 3" in line and "never closed" in line


def test_names(csv: Csv, tmp_path: Path) -> None:
    text = 'a,,a,"x\ny"\n1,2,3,4\n'
    csv.read(text)
    assert [one["name"] for one in manifest_of(tmp_path / "out")["columns"]] == \
        ["a", "", "a", "x\ny"]
    path = csv.file(text, "t.csv")
    assert "2 columns are named 'a'" in csv.tool.refused(
        "compress", path, "--column", "a", "-o", "-", code=USAGE)
    for word, value in [("0", "1\n"), ("", "2\n"), ("2", "3\n"), ("x\ny", "4\n")]:
        packed = csv.tool.run("compress", path, "--column", word, "-o", "-").out
        assert csv.tool.run("decompress", "-", stdin=packed).text == value


def test_ragged_records(csv: Csv) -> None:
    line = csv.refused('a,b\n"1\n2",3\n4\n', code=CORRUPT)
    assert "line 4: 1 field, the header has 2" in line
    line = csv.refused("1,2\n3,4,5\n", "--no-header", code=CORRUPT)
    assert "line 2: 3 fields, the first line has 2" in line


def test_empty_lines(csv: Csv) -> None:
    assert csv.read("a\n1\n\n3\n\n") == {"a": ("i64", [1, None, 3, None])}
    assert csv.read("a,b\n\n1,2\n\n\n3,4\n") == {"a": ("i64", [1, 3]), "b": ("i64", [2, 4])}
    assert csv.read("\n\n1\n2\n", "--no-header") == {"f0": ("i64", [None, None, 1, 2])}
    assert csv.read("\n\n1,2\n", "--no-header") == {"f0": ("i64", [1]), "f1": ("i64", [2])}
    assert csv.read("\n\n", "--no-header") == {"f0": ("i64", [None, None])}
    assert "no header" in csv.refused("\n\n", code=CORRUPT)
    assert "is empty" in csv.refused("", code=CORRUPT)


def test_header_only(csv: Csv) -> None:
    assert csv.read("a,b\n") == {"a": ("i64", []), "b": ("i64", [])}
    assert csv.read("a,b") == {"a": ("i64", []), "b": ("i64", [])}


# ---- What a field is ----

FIELDS = {
    "i64": {"42": 42, "-7": -7, "+5": 5, "007": 7, '"8"': 8, " 9\t": 9, '" 10 "': 10, "+0": 0,
            "-9223372036854775808": -(2**63), "9223372036854775807": 2**63 - 1},
    "u64": {"18446744073709551615": 2**64 - 1, "9223372036854775808": 2**63},
    "f64": {"1.5": 1.5, ".5": 0.5, "5.": 5.0, "1e-3": 0.001, "1E3": 1000.0, "-0": -0.0,
            "2.0": 2.0, "-.25e+2": -25.0, "1e22": 1e22, "5e-324": 5e-324,
            "1.7976931348623157e308": 1.7976931348623157e308, F64_DIGITS: 0.1,
            "0.10000000000000000": 0.1, "nan": np.nan, "NaN": np.nan, "-NAN": np.nan,
            "inf": np.inf, "-inf": -np.inf, "+Infinity": np.inf, "INF": np.inf},
    "bool": {"true": 1, "True": 1, "TRUE": 1, "false": 0, "False": 0, "FALSE": 0},
    "date32": {"2024-02-29": 19782, "1970-01-01": 0, "1969-12-31": -1, "0000-03-01": -719468,
               "-0001-12-31": -719529, "12345-06-07": 3789548, "5881580-07-11": 2**31 - 1},
    "time32[s]": {"12:30": 45000, "12:30:05": 45005, "00:00": 0, "23:59:59": 86399},
    "time32[ms]": {"12:30:05.25": 45005250, "00:00:00.001": 1},
    "time64[us]": {"12:30:05.2501": 45005250100},
    "time64[ns]": {"12:30:05.2500001": 45005250000100, "00:00:00.000000000": 0},
    "timestamp[s]": {"2024-02-29 12:30:05": 1709209805, "2024-02-29T12": 1709208000,
                     "1969-12-31 23:59:59": -1, "2024-02-29T12:30": 1709209800},
    "timestamp[ms]": {"2024-02-29 12:30:05.25": 1709209805250, "1969-12-31T23:59:59.999": -1},
    "timestamp[us]": {"2024-02-29 12:30:05.000001": 1709209805000001},
    "timestamp[ns]": {"2024-02-29 12:30:05.000000001": 1709209805000000001,
                      "1677-09-21 00:12:43.145224192": -(2**63)},
    "timestamp[s, UTC]": {"1970-01-01T00:00:00Z": 0, "1970-01-01T00:00+02:00": -7200,
                          "1970-01-01 00:00:00-0530": 19800, "1970-01-01T00+02": -7200},
}
TEXTS = ["abc", "5%", "$7", '"1,000"', "1_000", "0x10", "12/31/2024", '""', '" "', "2023-02-29",
         "24:00:00", "12:30:60", "2024-02-29 12:30:60", "2024-13-01", "2024-00-10", "2024-1-1",
         "1 2", "--1", "1e", "e5", ".", "+", "-", "1.2.3", "tRue", "yes", "12:3", "1:30", "nano",
         "2024-02-29t12:00", "2024-02-29 12:00z", "2024-02-29Z", "12:30Z", "2024-02-29 12:00+24:00",
         "123-01-01", "12345678-01-01", "2024-02-29  12:00", "\u0661", "1\u00a0"]


def test_what_a_field_is(csv: Csv) -> None:
    """A file with a column for each text."""
    cases = [(text, kind, value) for kind, texts in FIELDS.items()
             for text, value in texts.items()]
    header = ",".join(f"c{i}" for i in range(len(cases)))
    found = csv.read(f"{header}\n" + ",".join(text for text, _, _ in cases) + "\n")
    for i, (text, kind, value) in enumerate(cases):
        reported, rows = found[f"c{i}"]
        assert reported == kind, (text, reported)
        assert repr(rows) == repr([value]), (text, rows)


def test_what_is_text(csv: Csv) -> None:
    header = ",".join(f"c{i}" for i in range(len(TEXTS)))
    csv.read(f"k,{header}\n1," + ",".join(TEXTS) + "\n")
    reasons = csv.skipped()
    for i, text in enumerate(TEXTS):
        assert f"text, line 2: '{text.strip(chr(34))}'" in reasons[f"c{i}"], text


def test_nulls_are_nothing(csv: Csv) -> None:
    text = 'a,b,c,d\n1,"",1,1\n,2,,2\n,,3, \n'
    assert csv.read(text) == {"a": ("i64", [1, None, None]), "c": ("i64", [1, None, 3])}
    assert "line 2: ''" in csv.skipped()["b"]
    assert "line 4: ' '" in csv.skipped()["d"]


# ---- The type of a column ----

@pytest.mark.wheel_takes(6)
@pytest.mark.parametrize("rows, kind, values", [
    (["1", "18446744073709551615"], "u64", [1, 2**64 - 1]),
    (["18446744073709551615", "0.5"], None, None),
    (["18446744073709551616", "0.5"], "f64", [2.0**64, 0.5]),
    (["1", "0.5"], "f64", [1.0, 0.5]),
    (["9007199254740992", "0.5"], "f64", [2.0**53, 0.5]),
    (["9223372036854775808", "1e3"], "f64", [2.0**63, 1000.0]),
    (["-1", "nan"], "f64", [-1.0, np.nan]),
    (["2024-01-01", "2024-01-01 01:00"], "timestamp[s]", [1704067200, 1704070800]),
    (["2024-01-01 01:00:00.5", "2024-01-01"], "timestamp[ms]", [1704070800500, 1704067200000]),
    (["2024-01-01 01:00:00.5", "2024-01-01 00:00:00.1234567"], "timestamp[ns]",
     [1704070800500000000, 1704067200123456700]),
    (["12:30", "12:30:00.0001"], "time64[us]", [45000000000, 45000000100]),
    (["", ""], "i64", [None, None]),
])
def test_the_first_type_that_keeps_all(csv: Csv, rows: list[str], kind: str, values: list) -> None:
    text = "k,x\n" + "".join(f"1,{row}\n" for row in rows)
    if kind is None:
        assert "line 2" in csv.refused(text)
    else:
        assert repr(csv.read(text)["x"]) == repr((kind, values))


@pytest.mark.wheel_takes(4)
@pytest.mark.parametrize("rows, line", [
    (["1", "2024-01-01"], 3), (["2024-01-01", "1"], 3), (["true", "1"], 3), (["1", "2", "x"], 4),
    (["12:30", "2024-01-01"], 3), (["nan", "true"], 3), (["", "12:30", "5"], 4),
])
def test_mixed_kinds_are_text(csv: Csv, rows: list[str], line: int) -> None:
    csv.read("k,x\n" + "".join(f"1,{row}\n" for row in rows))
    assert f"text, line {line}: '{rows[-1]}'" in csv.skipped()["x"]
    assert "column 'x' is left out" in csv.err


# ---- What is refused ----

@pytest.mark.wheel_takes(7)
@pytest.mark.parametrize("rows, says", [
    (["1", "18446744073709551616"], "line 3: '18446744073709551616'"),
    (["-1", "9223372036854775808"], "line 3: '9223372036854775808'"),
    (["9223372036854775808", "-1"], "line 2: '9223372036854775808'"),
    (["-9223372036854775809"], "line 2: '-9223372036854775809'"),
    (["9007199254740993", "0.5"], "line 2: '9007199254740993'"),
    (["0.5", "9007199254740993"], "line 3: '9007199254740993'"),
    (["0.5", "100000000000000000000000"], "line 3: '100000000000000000000000'"),
    (["100000000000000000000001", "0.5"], "line 2: '100000000000000000000001'"),
    (["0.12345678901234567890"], "line 2: '0.12345678901234567890'"),
    (["1e400"], "line 2: '1e400'"), (["1.5", "-1e400"], "line 3: '-1e400'"),
    (["1e-400"], "line 2: '1e-400'"), (["1e99999999999999999999"], "line 2"),
    (["5881580-07-12"], "line 2: '5881580-07-12'"),
    (["2024-01-01 00:00:00.1234567", "2262-04-12"], "line 3: '2262-04-12'"),
    (["1677-09-21 00:12:43.145224191"], "line 2"),
    (["2024-01-01 00:00:00.1234567891"], "finer than nanoseconds"),
    (["12:30:00.0000000001"], "finer than nanoseconds"),
    (["2024-01-01 00:00Z", "2024-01-01 00:00"], "time zone"),
    (["2024-01-01 00:00Z", "2024-01-01"], "time zone"),
])
def test_what_no_type_keeps(csv: Csv, rows: list[str], says: str) -> None:
    """Though the other column is fine."""
    text = "k,x y\n" + "".join(f"1,{row}\n" for row in rows)
    line = csv.refused(text)
    assert says in line and "column 'x y'" in line
    assert csv.read(text, "--skip", "x y") == {"k": ("i64", [1] * len(rows))}
    assert csv.read(text, "--column", "k", "--nulls", "keep") == csv.read(text, "--skip", "x y")


def test_zeros_behind_are_no_digits(csv: Csv) -> None:
    found = csv.read("a,b\n12:30:05.0000000000,0.50000000000000000000000000\n")
    assert found == {"a": ("time64[ns]", [45005000000000]), "b": ("f64", [0.5])}


@pytest.mark.wheel_takes(4)
@pytest.mark.parametrize("dtype, good, bad", [
    ("u8", {"255": 255, "0": 0, "7.0": 7, "1e2": 100}, ["256", "-1", "1.5", "nan", "-0"]),
    ("i8", {"-128": -128, "127": 127}, ["128", "-129"]),
    ("i32", {"-2147483648": -(2**31)}, ["2147483648", "1.5", "inf"]),
    ("u64", {"18446744073709551615": 2**64 - 1, "18446744073709551615.0": 2**64 - 1,
             "1.8446744073709551615e19": 2**64 - 1},
     ["18446744073709551616", "-1", "1e20", "1e99999999999999999999", "1e-99999999999999999999"]),
    ("i64", {"9007199254740993.0": 2**53 + 1, "-9223372036854775808": -(2**63)},
     ["9223372036854775808", "9223372036854775807.5"]),
    ("f32", {"0.1": np.float32(0.1).item(), "16777217": 16777216.0}, ["1e39", "1e-50"]),
    ("f16", {"0.1": np.float16(0.1).item(), "65504": 65504.0, "2049": 2048.0, "2051": 2052.0,
             "1.00048828125000000001": 1.0009765625}, ["65520", "1e-9"]),
    ("f64", {"9007199254740993": 2.0**53, "1": 1.0}, ["1e400"]),
])
def test_dtype(csv: Csv, dtype: str, good: dict[str, float], bad: list[str]) -> None:
    text = "k,x\n" + "".join(f"1,{row}\n" for row in good)
    assert csv.read(text, "--dtype", f"x={dtype}") == \
        {"k": ("i64", [1] * len(good)), "x": (dtype, list(good.values()))}
    for row in bad:
        line = csv.refused(f"k,x\n1,{row}\n", "--dtype", f"x={dtype}")
        assert "column 'x'" in line and f"line 2: '{row}'" in line


def test_dtype_of_all_columns_of_numbers(csv: Csv) -> None:
    found = csv.read("a,b,c,d\n1,1.5,true,2024-01-01\n", "--dtype", "f32", "--dtype", "a=u8")
    assert found == {"a": ("u8", [1]), "b": ("f32", [1.5]), "c": ("bool", [1]),
                     "d": ("date32", [19723])}


def test_nulls_of_one_file(csv: Csv, tmp_path: Path) -> None:
    path = csv.file('k,a\n"x\ny",1\n2,\n3,\n', "t.csv")
    line = csv.tool.refused("compress", path, "--column", "a", "-o", tmp_path / "a.pco")
    assert "2 nulls, the first on line 4" in line and "-o FOLDER" in line


# ---- Notes ----

def test_notes(csv: Csv) -> None:
    text = ("zip,plus,at,x\n"
            "1,1,2024-01-01 00:00Z,0.1\n"
            "01234,+2,2024-01-01 02:00+02:00,0.5\n"
            "00501,+3,2024-01-01 02:00-01:00,text\n")
    found = csv.read(text)
    assert found["zip"] == ("i64", [1, 1234, 501])
    assert found["at"] == ("timestamp[s, UTC]", [1704067200, 1704067200, 1704078000])
    notes = csv.err.splitlines()
    assert any("'zip'" in n and "leading zeros" in n and "2 values" in n and
               "line 3: '01234'" in n for n in notes)
    assert any("'plus'" in n and "plus signs" in n and "line 3: '+2'" in n for n in notes)
    assert any("'at'" in n and "2 values" in n and "line 3" in n for n in notes)
    assert any("'x' is left out" in n and "line 4: 'text'" in n for n in notes)
    csv.read("x\n0.1\n0.123456789\n", "--dtype", "x=f32")
    assert "rounded to f32: 1 value, the first on line 3: '0.123456789'" in csv.err
    csv.read(text, "-q")  # only what is lost
    assert csv.err.count("\n") == 1 and "column 'x' is left out" in csv.err


# ---- Options ----

def test_options(csv: Csv) -> None:
    assert csv.read("a^b\n1^2\n", "--delimiter", "^") == {"a": ("i64", [1]), "b": ("i64", [2])}
    assert csv.read("a\tb\n1\t2\n", "--delimiter", "tab") == {"a": ("i64", [1]), "b": ("i64", [2])}
    assert csv.read("'a,b',c\n'1',2\n", "--quote", "'") == \
        {"a,b": ("i64", [1]), "c": ("i64", [2])}
    assert csv.read('"a,b\n1,2\n', "--quote", "none") == {'"a': ("i64", [1]), "b": ("i64", [2])}
    assert csv.read("a;b\n1,5;2\n", "--decimal", ",") == {"a": ("f64", [1.5]), "b": ("i64", [2])}
    assert csv.read("a;b\n1.5;2\n", "--decimal", ",") == {"b": ("i64", [2])}
    text = 'a,b\n1,"NA"\nNA,2\n null ,-999\n'
    assert csv.read(text, "--null-values", "NA,null,-999") == \
        {"a": ("i64", [1, None, None]), "b": ("i64", [None, 2, None])}
    assert csv.read("1,2\n3,4\n", "--no-header") == {"f0": ("i64", [1, 3]), "f1": ("i64", [2, 4])}


@pytest.mark.wheel_takes(6)
@pytest.mark.parametrize("options", [
    ["--delimiter", "ab"], ["--delimiter", "é"], ["--quote", "\n"], ["--decimal", "x"],
    ["--delimiter", ",", "--decimal", ","], ["--decimal", ","], ["--quote", ","],
    ["--delimiter", ";", "--quote", ";"], ["--dtype", "zz=f64"], ["--dtype", "a=f99"],
    ["--skip", "zz"], ["--memory", "x"],
])
def test_wrong_options(csv: Csv, options: list[str]) -> None:
    csv.refused("a,b\n1,2\n", *options, code=USAGE)


# ---- CSV that is written ----

def test_csv_comes_back(csv: Csv, tmp_path: Path) -> None:
    columns = {"i": ["1", "-5", ""], "u": ["18446744073709551615", "", "0"],
               "f": ["1.0", "0.1", "nan"], "g": ["-0.0", "1e300", "inf"],
               "b": ["true", "false", ""], "d": ["2024-02-29", "", "-0001-01-01"],
               "t": ["12:30:05", "", "00:00:00"], "tm": ["12:30:05.250", "", "00:00:00.000"],
               "ts": ["2024-02-29 12:30:05", "", "1969-12-31 23:59:59"],
               "tn": ["2024-02-29 12:30:05.000000001", "", "1969-12-31 23:59:59.999999999"],
               "z": ["2024-02-29 12:30:05.250000Z", "", "1970-01-01 00:00:00.000000Z"]}
    names = list(columns)
    text = ",".join(names) + "\n" + "".join(
        ",".join(columns[name][row] for name in names) + "\n" for row in range(3))
    first = csv.read(text)
    csv.tool.run("decompress", tmp_path / "out", "-f", "-o", tmp_path / "again.csv")
    again = (tmp_path / "again.csv").read_text()
    assert repr(csv.read(again)) == repr(first)
    assert again.splitlines()[0] == text.splitlines()[0]
    assert again.splitlines()[1].startswith("1,18446744073709551615,1.0,-0.0,true,2024-02-29,")


def test_one_column_of_nulls_comes_back(csv: Csv, tmp_path: Path) -> None:
    for name in ["a", '""']:
        first = csv.read(f"{name}\n\n1\n\n")
        csv.tool.run("decompress", tmp_path / "out", "-f", "-o", tmp_path / "again.csv")
        assert csv.read((tmp_path / "again.csv").read_bytes()) == first


def test_types_in_json(csv: Csv, tmp_path: Path) -> None:
    path = csv.file("a,b\n1,x\n,y\n", "t.csv")
    reported = json.loads(csv.tool.run("bench", path, "--rounds", "1", "--json").text)
    assert [(one["column"], one["type"], one["count"]) for one in reported["columns"]] == \
        [("a", "i64", 1)]
