# SPDX-License-Identifier: Apache-2.0
"""What the command of the package does with datasets: ``index`` of a folder of tables, and
``compress --partition-by``. The rest is written in C++.
"""

from __future__ import annotations

import os
import sys
import tempfile

_OPTION = "--partition-by"


def is_for_dataset(words: list[str]) -> bool:
    """Whether the arguments of the command ask for it. Imports nothing that takes time."""
    if words[:1] == ["compress"]:
        return any(word == _OPTION or word.startswith(f"{_OPTION}=") for word in words)
    named = [word for word in words[1:] if not word.startswith("-")]
    return words[:1] == ["index"] and bool(named) and all(map(_is_dataset, named))


def _is_dataset(path: str) -> bool:
    """Whether a folder is no table, and not a file either."""
    return os.path.isdir(path) and not os.path.lexists(os.path.join(path, "manifest.json"))


def main(words: list[str]) -> int:
    """Runs the command; the exit status."""
    from ._errors import CorruptError, LimitExceededError

    try:
        if words[0] == "index":
            return _index(words[1:])
        return _compress(words[1:])
    except ImportError as error:
        status, text = 1, str(error)
    except (OSError, ValueError) as error:
        status = 3 if isinstance(error, CorruptError) else 1
        status = 4 if isinstance(error, LimitExceededError) else status
        text = str(error)
    _say(text)
    return status


def _say(text: str) -> None:
    """Prints a line that no terminal obeys: names come from files."""
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    print(f"numpact: {shown}", file=sys.stderr)


def _usage(text: str) -> int:
    _say(text)
    return 2


def _index(words: list[str]) -> int:
    from ._table import index_dataset

    quiet = {"-q", "--quiet"}
    for word in words:
        if word.startswith("-") and word not in quiet:
            return _usage(f"{word}: does not apply to the index of a dataset")
    for path in (word for word in words if not word.startswith("-")):
        count = index_dataset(path)
        if not quiet & set(words):
            _say(f"{path}: {count:,} tables indexed")
    return 0


# Options that tables of a dataset do not have, or that divide no table.
_REFUSED = (
    *(
        "--append",
        "--column",
        "--compat",
        "--delta",
        "--decode-weight",
        "--favor-decode-speed",
        "--force",
        "-f",
    ),
    *("--json", "--lock-timeout", "--mode", "--no-trailer", "--no-verify", "--page-size"),
    *("--restart", "--schema", "--trailer"),
)


def _run(words: list[str]) -> int:
    """The exit code of the command in a process of its own."""
    from ._cli import run

    child = os.fork()
    if child == 0:
        os._exit(run([b"numpact", *map(os.fsencode, words)]))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _compress(words: list[str]) -> int:
    """Compresses to a hidden table, whose rows are then divided among folders."""
    import argparse

    parser = argparse.ArgumentParser("numpact compress", allow_abbrev=False, add_help=False)
    parser.add_argument(_OPTION, required=True)
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--level", type=int)
    parser.add_argument("-q", "--quiet", action="store_true")
    given, rest = parser.parse_known_args(words)
    refused = [word for word in rest if word.partition("=")[0] in _REFUSED]
    if refused:
        return _usage(f"{refused[0]}: does not apply with {_OPTION}")
    output, columns = given.output, given.partition_by.split(",")
    if output == "-":
        return _usage(f"{_OPTION}: makes a folder (-o FOLDER)")
    if os.path.lexists(output):
        _say(f"{output}: exists already")
        return 1
    parent = os.path.dirname(os.path.abspath(output))
    os.makedirs(parent, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".numpact-", dir=parent) as work:
        made = os.path.join(work, "table")
        # Fast, since these files are read once; the tables get the level that was asked for.
        status = _run(["compress", "--level", "1", "-q", *rest, "-o", made])
        if status != 0:
            return status
        # Here, after the fork: it imports numpy, which starts threads.
        from ._specs import DEFAULT_LEVEL
        from ._table import open_table, write_table

        level = DEFAULT_LEVEL if given.level is None else given.level
        table = open_table(made)
        write_table(table, output, level=level, partition_by=columns)
        if not given.quiet:
            _say(f"{output}: {len(table):,} rows divided by {', '.join(columns)}")
    return 0
