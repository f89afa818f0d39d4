# SPDX-License-Identifier: Apache-2.0
"""The functions of the C interface: those of the headers, of the library and of the stored list.

A name that leaves the list, or changes, breaks programs that were linked before. A new one is added
to symbols.txt.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "build/release/src/libnumpact.a"
HEADERS = ("numpact", "collection", "table", "table_writer")
LISTED = (Path(__file__).parent / "symbols.txt").read_text().split()


def test_headers_declare_the_list() -> None:
    headers = "".join((ROOT / f"include/numpact/{name}.h").read_text() for name in HEADERS)
    declared = re.findall(r"^NUMPACT_C_API\b[^;]*?\b(numpact_\w+)\(", headers, re.MULTILINE)
    assert sorted(declared) == LISTED
    assert len(set(declared)) == len(declared)


@pytest.mark.skipif(not LIBRARY.exists() or shutil.which("nm") is None, reason="nothing is built")
def test_library_defines_the_list() -> None:
    command = ["nm", "--defined-only", "--extern-only", LIBRARY]
    symbols = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert sorted(set(re.findall(r" T (numpact_\w+)$", symbols, re.MULTILINE))) == LISTED


@pytest.mark.skipif(not LIBRARY.exists() or shutil.which("nm") is None, reason="nothing is built")
def test_library_reads_no_environment() -> None:
    command = ["nm", "--undefined-only", LIBRARY]
    symbols = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "malloc" in symbols or "memcpy" in symbols  # the list is that of a library
    assert not re.findall(r"\b(?:secure_)?getenv\b|\benviron\b", symbols)


def test_reference_binding() -> None:
    header = (ROOT / "integrations/cpcodec/cpcodec_generated.h").read_text()
    assert re.findall(r"^CPCODEC_API\b[^;]*?\b(pco_\w+)\(", header, re.MULTILINE) == [
        "pco_standalone_guarantee_file_size",
        "pco_standalone_guarantee_file_size_with_config",
        "pco_standalone_simple_compress_into",
        "pco_standalone_simple_decompress_into",
        "pco_standalone_simple_decompress_into_bytes",
    ]
