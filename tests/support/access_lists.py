# SPDX-License-Identifier: Apache-2.0
"""Access control lists of files as Linux stores them, since setfacl may be missing."""

from __future__ import annotations

import errno
import os
import struct
from pathlib import Path

import pytest

_VERSION = 2
_USER_OBJ, _USER, _GROUP_OBJ, _MASK, _OTHER = 0x01, 0x02, 0x04, 0x10, 0x20
_NO_ID = 0xFFFFFFFF
NOBODY = 65534


def access_list(user: int = 4, group: int = 4) -> bytes:
    """Owner: read and write; user nobody and the group: the given permissions; others: none."""
    entries = [(_USER_OBJ, 6, _NO_ID), (_USER, user, NOBODY), (_GROUP_OBJ, group, _NO_ID),
               (_MASK, user | group, _NO_ID), (_OTHER, 0, _NO_ID)]
    return struct.pack("<I", _VERSION) + b"".join(struct.pack("<HHI", *one) for one in entries)


def set_list(path: Path, content: bytes, kind: str = "access") -> None:
    """Sets or removes a list. Skips the test if the file system does not support lists."""
    if not hasattr(os, "setxattr"):
        pytest.skip("needs access control lists of Linux")
    name = f"system.posix_acl_{kind}"
    try:
        if content:
            os.setxattr(path, name, content)
        else:
            os.removexattr(path, name)
    except OSError as error:
        if error.errno == errno.ENODATA:
            return
        if error.errno == errno.ENOTSUP:
            pytest.skip("the file system has no access control lists")
        raise


def list_of(path: Path) -> bytes:
    try:
        return os.getxattr(path, "system.posix_acl_access")
    except OSError as error:
        if error.errno == errno.ENODATA:
            return b""
        raise
