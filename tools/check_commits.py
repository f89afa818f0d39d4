#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the messages of commits: `area: imperative subject`, an empty line, a body with the why.

Looks at the commits since the rule exists. Where the history is not at hand there is nothing to do.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SINCE = "2026-11-26T05:30:00Z"
MAX_SUBJECT = 100
SUBJECT = re.compile(r"[a-z][a-z0-9_.+-]*: [a-z0-9`\"].*[^.]")
# Verbs that do not say what the commit does: "adds", "added", "adding".
NOT_IMPERATIVE = re.compile(r": ([a-z]{3,}(?<!s)s|[a-z]{2,}ed|[a-z]{2,}ing)\b")
EXCEPTIONS = {"address", "bring", "compress", "discuss", "embed", "feed", "miss", "need", "pass",
              "process", "proceed", "seed", "shed", "speed", "string", "suppress"}


def complaints(subject: str, body: str) -> list[str]:
    found = []
    if not SUBJECT.fullmatch(subject):
        found.append("the subject is not `area: imperative subject`")
    match = NOT_IMPERATIVE.search(subject)
    if match and match[1] not in EXCEPTIONS:
        found.append(f"'{match[1]}' is not an imperative")
    if len(subject) > MAX_SUBJECT:
        found.append(f"the subject has {len(subject)} characters, at most {MAX_SUBJECT}")
    if not body.strip():
        found.append("there is no body with the reason")
    return found


def commits() -> list[tuple[str, str, str]]:
    """Hash, subject and body of each."""
    command = ["git", "log", f"--since={SINCE}", "--no-merges", "--format=%h%x00%s%x00%b%x01"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return []
    entries = [entry.strip("\n").split("\0") for entry in done.stdout.split("\x01")]
    return [(entry[0], entry[1], entry[2]) for entry in entries if len(entry) == 3]


def main() -> int:
    count = 0
    for name, subject, body in commits():
        for complaint in complaints(subject, body):
            print(f"{name} {subject}: {complaint}")
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
