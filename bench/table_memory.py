# SPDX-License-Identifier: Apache-2.0
"""Peak memory of what is done with a table, each in a process of its own."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

from table_sources import Query

# Files are mapped, and their pages do not count: Linux states the rest. It has no maximum of that,
# so a thread looks every millisecond.
PROGRAM = """
import pickle, sys, threading, time
import numpact
import pyarrow as pa

task, folder, where, threads = pickle.load(sys.stdin.buffer)


def anonymous():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("RssAnon"))


table = numpact.open_table(folder, threads=threads)
first = table[:1].to_arrow()  # loads what is loaded once
ended, most, before = False, 0, anonymous()


def watch():
    global most
    while not ended:
        most = max(most, anonymous())
        time.sleep(0.001)


watching = threading.Thread(target=watch)
watching.start()
if task == "read":
    for batch in table.batches():
        pass
elif task == "filter":
    for batch in table.batches(where=where):
        pass
elif task == "append":
    numpact.append_table(first, folder, threads=threads)
else:
    numpact.write_table(pa.RecordBatchReader.from_stream(table), folder + ".copy", threads=threads)
ended = True
watching.join()
print(max(0, most - before))
"""
TASKS = {
    "read": "read in batches", "filter": "rows that match, in batches", "append": "append one row",
    "write": "write from batches",
}  # fmt: skip


def peaks(folder: Path, query: Query, threads: int) -> dict[str, float]:
    """MiB of each task beyond those of the process before it."""
    found = {}
    for task, title in TASKS.items():
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, check=True,
            input=pickle.dumps((task, str(folder), query.conditions, threads)),
        )  # fmt: skip
        found[title] = int(done.stdout) / 1024
    return found
