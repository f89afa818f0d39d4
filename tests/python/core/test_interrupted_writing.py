# SPDX-License-Identifier: Apache-2.0
"""Files written from Python, with every call that changes a file failing, or the process killed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from failing_calls import failing_calls

# Runs with the library preloaded. A child process does the work, so that it may be killed.
DRIVER = """
import ctypes, errno, os, pathlib, re, sys
import numpy as np
import numpact
from numpact import cvc

failing = ctypes.CDLL(None)
folder = pathlib.Path(sys.argv[1])
path = folder / "made"
TEMPORARY = re.compile(r"\\.made\\.\\d+-[0-9a-f]{8}\\.tmp")

def write():
    with numpact.Writer(path, "int64") as writer:
        writer.write(np.arange(3000))
        writer.end_chunk()
        writer.write(np.arange(5))

def append():
    numpact.append(path, np.arange(500), threads=1)

def write_vectors():
    with cvc.Writer(path) as writer:
        writer.append(np.ones((50, 8), np.float32))

def add_column():
    cvc.add_column(path, "more", np.arange(20, dtype=np.int64))

numbers = numpact.compress(np.arange(1000))
with cvc.Writer(folder / "columns", columns={"x": (4, "float32")}) as writer:
    writer.append({"x": np.ones((20, 4), np.float32)})
columns = (folder / "columns").read_bytes()
(folder / "columns").unlink()

def others():
    return [name for name in os.listdir(folder) if name != "made"]

def in_child(work, k, error):
    child = os.fork()
    if child == 0:
        failing.failing_calls_arm(ctypes.c_long(k), error)
        try:
            work()
            code = 0
        except (OSError, numpact.Error) as problem:
            code = 10
            if "space" not in str(problem):
                code = 11
        failing.failing_calls_arm(ctypes.c_long(-1), 0)
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

for work, old in [(write, b"old"), (append, numbers), (write_vectors, b"old"),
                  (add_column, columns)]:
    path.write_bytes(old)
    assert in_child(work, -1, 0) == 0
    new = path.read_bytes()
    assert new != old
    for error in [0, errno.ENOSPC]:
        codes = []
        for k in range(100):
            path.write_bytes(old)
            code = in_child(work, k, error)
            codes.append(code)
            now = path.read_bytes()
            assert now in (old, new), (work, k)
            left = others()
            assert all(TEMPORARY.fullmatch(name) for name in left), left
            assert not (left and error), (work, k, left)
            for name in left:
                os.unlink(folder / name)
            if code == 10:
                assert now == old
            elif code == 0:
                assert now == new
                if codes[-3:] == [0, 0, 0]:
                    break
            else:
                assert (code, error) == (-9, 0), (work, k, code)
        assert len(codes) > 5 and codes[-3:] == [0, 0, 0], codes
        assert (-9 if error == 0 else 10) in codes
print("fine")
"""


def test_every_call_fails_or_is_the_last(tmp_path: Path) -> None:
    environment = {**os.environ, "LD_PRELOAD": str(failing_calls()), "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", DRIVER, str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ran.stdout == "fine\n", ran.stderr
