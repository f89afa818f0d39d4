# SPDX-License-Identifier: Apache-2.0
"""The command, compiled: a part of the package that is there where the system has the command."""

from collections.abc import Sequence

def run(words: Sequence[bytes]) -> int: ...
