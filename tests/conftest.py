# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import signal
import sys
import threading
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "support"))

# Files that take longer than ten seconds, the longest first. A file is one worker's: what started
# last would leave the other processors without work.
LONGEST = [
    "cli/test_arrow_types.py", "oracle/test_standalone.py", "cli/test_nulls.py",
    "python/packaging/test_package_command.py", "cli/test_cli_memory.py",
    "cli/test_table_properties.py", "cli/test_untrusted_headers.py", "cli/test_trust_files.py",
    "cli/test_text_to_numbers.py", "cli/test_csv_properties.py", "cli/test_cvc_files.py",
    "oracle/test_damaged.py", "oracle/test_wrapped.py", "cli/test_cvc_shapes.py",
    "python/zarr/test_zarr_interchange.py", "python/core/test_forks.py", "cli/test_cli.py",
    "cli/test_cvc_formats.py", "cli/test_cli_failures.py", "python/core/test_many_chunks.py",
    "python/packaging/test_wheel.py", "python/dask/test_dask_cluster.py",
    "python/dask/test_dask_examples.py", "cli/test_cli_tables.py", "cli/test_cvc_copies.py",
    "cli/test_trust_start.py", "cli/test_cli_usage.py", "cli/test_cli_trailer.py",
    "cli/test_cli_locks.py",
]  # fmt: skip


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    assert all((here / name).exists() for name in LONGEST), "LONGEST names a file that is gone"
    rank = {name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.nodeid.partition("::")[0], len(rank)))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Ctrl-C is an exception, as in a terminal.

    Shells start background jobs with SIGINT ignored, and Python leaves that alone: tests that send
    it would wait for ever, and so would the programs that they start.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
