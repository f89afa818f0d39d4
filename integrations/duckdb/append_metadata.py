# SPDX-License-Identifier: Apache-2.0
"""Makes an extension of DuckDB from a shared library: appends what the loader reads.

The loader reads the last 512 bytes of the file: eight fields of 32 bytes, the first field last,
and 256 bytes for a signature, which is zero here. Before them stands the header of a custom section
of WebAssembly, so that the same layout serves there.
"""

from __future__ import annotations

import argparse
from pathlib import Path

FIELD_BYTES = 32
SIGNATURE_BYTES = 256
# A custom section (0) of 531 bytes, whose name has 16 bytes, with 512 bytes of content; the sizes
# are LEB128.
SECTION = bytes([0, 0x93, 0x04, 16]) + b"duckdb_signature" + bytes([0x80, 0x04])
# The layout of the fields.
LAYOUT = "4"
# How the extension gets the functions, and the version that it names: that of DuckDB, the only one
# that loads it, or that of the stable C API.
ABIS = {"one-version": ("C_STRUCT_UNSTABLE", "v2.0.0"), "stable": ("C_STRUCT", "v1.2.0")}


def footer(platform: str, version: str, api: str) -> bytes:
    """The appended bytes."""
    abi, api_version = ABIS[api]
    fields = [LAYOUT, platform, api_version, version, abi, "", "", ""]
    packed = [field.encode().ljust(FIELD_BYTES, b"\0") for field in fields]
    if any(len(field) != FIELD_BYTES for field in packed):
        raise ValueError(f"longer than {FIELD_BYTES} bytes: {fields}")
    return SECTION + b"".join(reversed(packed)) + bytes(SIGNATURE_BYTES)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=Path)
    parser.add_argument("extension", type=Path)
    parser.add_argument("--platform", required=True, help="linux_amd64, osx_arm64, ...")
    parser.add_argument("--extension-version", required=True)
    parser.add_argument("--api", required=True, choices=ABIS)
    options = parser.parse_args()
    content = options.library.read_bytes()
    end = footer(options.platform, options.extension_version, options.api)
    options.extension.parent.mkdir(parents=True, exist_ok=True)
    options.extension.write_bytes(content + end)


if __name__ == "__main__":
    main()
