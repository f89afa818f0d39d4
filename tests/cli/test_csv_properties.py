# SPDX-License-Identifier: Apache-2.0
"""Random CSV files through the command, beside what docs/text-to-numbers.md makes of them."""

from __future__ import annotations

import filecmp
import io
import random
import shutil
from pathlib import Path

import csv_files
import csv_oracle
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from cli_program import DTYPES, PROGRAM
from folder import entries_of, manifest_of
from programs import SEED, Tool, tool, files_of  # noqa: F401

# Messages quote at most this many bytes of a text.
_TEXT_BYTES = 60


def check_case(tool: Tool, case: csv_files.Case, path: Path, out: Path) -> None:
    try:
        expected = csv_oracle.read(case.text, case.dialect, case.requested, case.usual_delimiter)
    except csv_oracle.Refusal as refusal:
        return check_refusal(tool, case, path, out, refusal)
    ran = tool.run("compress", path, *case.options, "--others", "drop", "-f", "-o", out)
    entries = entries_of(out)
    kept = [column for column in expected if isinstance(column, csv_oracle.Column)]
    assert [entry.json["name"] for entry in entries] == [column.name for column in kept]
    for column, entry in zip(kept, entries, strict=True):
        check_column(column, entry)
        for note, (count, line) in column.notes.items():
            reported = [one for one in ran.err.splitlines() if note in one]
            assert any(f" {count} value" in one and f"line {line}:" in one for one in reported), \
                f"no note of {note}, {count} times, line {line}:\n{ran.err}"
    skipped = manifest_of(out)["skipped"]
    left_out = [column for column in expected if isinstance(column, csv_oracle.Skipped)]
    assert [one["name"] for one in skipped] == [column.name for column in left_out]
    for column, one in zip(left_out, skipped, strict=True):
        assert one["type"] == "text" and f"line {column.line}:" in one["reason"], one
    compare_with_pyarrow(case, entries)


def check_refusal(tool: Tool, case: csv_files.Case, path: Path, out: Path,
                  refusal: csv_oracle.Refusal) -> None:
    shutil.rmtree(out, ignore_errors=True)
    ran = tool.run("compress", path, "--others", "drop", *case.options, "-o", out, code=None)
    assert ran.code == refusal.code, f"{refusal}\n{ran.code} {ran.err}"
    assert not out.exists()
    error = ran.err.splitlines()[-1]
    if refusal.lines:
        assert any(f"line {line}:" in error for line in refusal.lines), f"{refusal}\n{error}"
    if refusal.column and refusal.column.isascii() and refusal.column.isprintable():
        assert f"column '{refusal.column}'" in error, f"{refusal}\n{error}"


def check_column(expected: csv_oracle.Column, entry) -> None:
    reported = entry.json
    assert reported["number_type"] == expected.type, reported
    assert reported["logical_type"] == expected.kind, reported
    assert reported.get("unit") == expected.unit, reported
    assert reported.get("timezone") == expected.zone, reported
    assert entry.valid.tolist() == [value is not None for value in expected.values]
    present = [value for value in expected.values if value is not None]
    numbers = np.array(present, DTYPES[expected.type])
    bits = f"u{numbers.itemsize}"
    same = numbers.view(bits) == entry.numbers.view(bits)
    if numbers.dtype.kind == "f":  # which NaN it is does not matter
        same |= np.isnan(numbers) & np.isnan(entry.numbers)
    assert same.all(), (np.flatnonzero(~same)[0], numbers[~same][0], entry.numbers[~same][0])


def is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def compare_with_pyarrow(case: csv_files.Case, entries: list) -> None:
    """Where pyarrow reads a column as 64-bit numbers, its values are the same."""
    dialect = case.dialect
    if dialect.quote is None or dialect.decimal != "." or not dialect.header:
        return
    delimiter = dialect.delimiter or case.usual_delimiter
    if delimiter != "," or "\r" in case.text or "\n\n" in case.text or "\n " in case.text:
        return  # pyarrow takes empty lines for rows, or for none, in its own ways
    if any(is_number(word) for word in dialect.null_words):
        return  # a null word with blanks around it is a number for pyarrow
    text = case.text.lstrip("\ufeff\n")
    try:
        table = pa.csv.read_csv(
            io.BytesIO(text.encode()),
            parse_options=pa.csv.ParseOptions(delimiter=delimiter, quote_char=dialect.quote,
                                              newlines_in_values=True, ignore_empty_lines=False),
            convert_options=pa.csv.ConvertOptions(null_values=["", *dialect.null_words],
                                                  quoted_strings_can_be_null=True))
    except pa.ArrowInvalid:
        return
    for entry in entries:
        places = [i for i, name in enumerate(table.column_names) if name == entry.json["name"]]
        if len(places) != 1 or len(table) != len(entry.valid):
            continue
        theirs = table.column(places[0])
        ours = {"i64": pa.int64(), "f64": pa.float64()}.get(entry.json["number_type"])
        if entry.json["logical_type"] != "number" or theirs.type != ours:
            continue
        got = pa.array(entry.numbers, ours)
        assert got.equals(theirs.drop_null().combine_chunks()) or ours == pa.float64() and \
            np.array_equal(np.asarray(got), np.asarray(theirs.drop_null()), equal_nan=True), entry


def test_random_files(tmp_path: Path, tool: Tool) -> None:  # noqa: F811
    for index in range(files_of(tool.program)):
        seed = SEED * 1_000_003 + index
        case = csv_files.make(seed)
        path = case.write(tmp_path, "t")
        try:
            check_case(tool, case, path, tmp_path / "out")
        except Exception as error:
            raise AssertionError(f"csv_files.make({seed}), kept in {path}, options "
                                 f"{case.options}: {error}") from error
        path.unlink()


BUFFER = 1 << 20  # bytes that the reader has at once


@pytest.mark.parametrize("token", ["\r\n", "\n", "\r", ",", '",', '""', '"', '"\r\n', ',"', "é"])
@pytest.mark.parametrize("before", [0, 1, 2])
def test_tokens_across_the_buffer(tmp_path: Path, token: str, before: int) -> None:
    """Whatever has one part in a buffer and one in the next."""
    tool = Tool(PROGRAM)
    inside = {'""': ('1,"', '"\n'), '"': ('1,"x', ",\n"), '",': ('"1', "x\n"), ',"': ("1", '"\n'),
              '"\r\n': ('1,"y', ""), ",": ("1", "x\n"), "é": ("1,", "\n")}
    front, back = inside.get(token, ("1,z", ""))
    if token == '"':
        back = "\n"
    head = "n,t\n"
    filler = "7," + "f" * 1000 + "\n"
    count = (BUFFER - before - len(head) - len(front)) // len(filler) - 1
    rest = BUFFER - before - len(head) - len(front) - count * len(filler)
    text = head + filler * count + "7," + "g" * (rest - 3) + "\n" + front + token + back + "9,end\n"
    assert len((head + filler * count).encode()) + rest + len(front) == BUFFER - before
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    tool.run("compress", path, "-o", tmp_path / "out")
    expected = csv_oracle.read(text, csv_oracle.Dialect())
    check_column(expected[0], entries_of(tmp_path / "out")[0])
    assert entries_of(tmp_path / "out")[0].rows[-2:] == [1, 9]


@pytest.mark.parametrize("seed", range(3))
def test_long_files(tmp_path: Path, seed: int) -> None:
    """Longer than the reader's buffer; what waits in a temporary file gives the same folder."""
    tool = Tool(PROGRAM)
    rng = random.Random(seed)
    end = rng.choice(["\n", "\r\n"])
    lines = ["id,hash,at,f,flag,t"]
    for row in range(10_000):  # whose numbers are more than --memory
        moment = f"2024-01-01 00:00:{row % 60:02d}.{row % 997:03d}"
        cells = [str(row), str(rng.randrange(2**64)), moment,
                 repr(rng.gauss(0, 1)), rng.choice(["true", "false"]),
                 '"' + "a,\n".join("x" * rng.randint(0, 150) for _ in range(3)) + '""' + '"']
        lines.append(",".join("" if i < 5 and rng.random() < 0.1 * seed else cell
                              for i, cell in enumerate(cells)))
    text = end.join(lines) + end
    assert len(text) > 2 * BUFFER
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    tool.run("compress", path, "-o", tmp_path / "a")
    tool.run("compress", path, "--memory", "64K", "-o", tmp_path / "b")
    expected = csv_oracle.read(text, csv_oracle.Dialect())
    for column, entry in zip(expected, entries_of(tmp_path / "a"), strict=False):
        check_column(column, entry)
    names = sorted(one.name for one in (tmp_path / "a").iterdir())
    assert filecmp.cmpfiles(tmp_path / "a", tmp_path / "b", names, shallow=False)[0] == names
