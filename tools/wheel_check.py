#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks an installed numpact: what every wheel must do, wherever it was made.

Needs numpy; prints one line. NUMPACT_EMULATOR: the words that start a program of this Python's
machine, if the system cannot do it.
"""
import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import numpact
import numpy as np

TYPES = ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f2", "f4", "f8"]


def check_codec():
    rng = np.random.default_rng(1)
    for name in TYPES:
        numbers = np.frombuffer(rng.bytes(8 * 3000), name)
        packed = numpact.compress(numbers, threads=2)
        back = numpact.decompress(packed)
        assert back.dtype == numbers.dtype and back.tobytes() == numbers.tobytes(), name


def check_command():
    emulator = os.environ.get("NUMPACT_EMULATOR", "").split()
    command = [*emulator, sys.executable, "-m", "numpact"]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "a.npy")
        np.save(source, np.arange(1000))
        for words in (["compress", source], ["verify", f"{source}.pco"],
                      ["decompress", f"{source}.pco", "-o", f"{folder}/b.npy"]):
            subprocess.run([*command, *map(str, words)], check=True, capture_output=True)
        assert Path(folder, "b.npy").read_bytes() == source.read_bytes()


def main():
    check_codec()
    command = sys.platform != "win32"
    if command:
        check_command()
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        assert not sys._is_gil_enabled(), "importing numpact has brought the global lock back"
    print(f"numpact {numpact.__version__}: fine" + ("" if command else ", without the command"))


if __name__ == "__main__":
    main()
