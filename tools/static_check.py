#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a built command on a column, a table and a file of vectors, and compares what comes back.

    static_check.py [EMULATOR] COMMAND

Needs no package: it shows that a command works on a machine that has nothing but the command.
"""

from __future__ import annotations

import array
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> None:
    command = sys.argv[1:]
    checks = 0

    def run(*arguments: object) -> str:
        done = subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{arguments}: exit status {done.returncode}: {done.stderr}")
        return done.stdout

    def check(holds: bool, what: str) -> None:
        nonlocal checks
        if not holds:
            raise SystemExit(f"{what} did not come back as it was")
        checks += 1

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        check(run("--version").startswith("numpact "), "the version")

        numbers = array.array("q", (round(1000 * i**0.5) % 40_000 for i in range(300_000)))
        raw = folder / "numbers.i64"
        raw.write_bytes(numbers.tobytes())
        for threads in (1, 4):
            pco = folder / f"numbers{threads}.pco"
            run("compress", raw, "-o", pco, "--dtype", "i64", "--threads", threads)
            back = folder / f"back{threads}.i64"
            run("decompress", pco, "-o", back, "--to", "raw", "--threads", threads)
            check(back.read_bytes() == raw.read_bytes(), f"a column with {threads} threads")
        run("verify", folder / "numbers4.pco")

        table = folder / "table.csv"
        table.write_text(
            "price,count\n" + "".join(f"{i * 0.5 + 0.25},{i % 97}\n" for i in range(20_000))
        )
        run("compress", table, "-o", folder / "columns")
        run("decompress", folder / "columns", "-o", folder / "table_back.csv")
        check((folder / "table_back.csv").read_text() == table.read_text(), "a table")

        damaged = bytearray((folder / "numbers1.pco").read_bytes())
        damaged[len(damaged) // 2] ^= 0xFF
        (folder / "damaged.pco").write_bytes(damaged[: len(damaged) // 2])
        cut = subprocess.run(
            [*command, "decompress", str(folder / "damaged.pco"), "-o", str(folder / "none.i64")],
            capture_output=True,
        )
        check(cut.returncode != 0 and not (folder / "none.i64").exists(), "an error")
    print(f"{checks} checks passed")


if __name__ == "__main__":
    main()
