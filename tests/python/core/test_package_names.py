# SPDX-License-Identifier: Apache-2.0
"""The names of the package, whose modules are imported when they are asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

import numpact

# Each name as the first that is asked for: no order of imports may matter.
_EACH_ALONE = """
import sys
import numpact
for name in numpact.__all__:
    for module in [one for one in sys.modules if one.startswith("numpact")]:
        if module != "numpact._core":  # machine code is loaded once
            del sys.modules[module]
    import numpact
    assert "numpact._file" not in sys.modules
    value = getattr(numpact, name)
    assert vars(numpact)[name] is value, name
print(len(numpact.__all__))
"""


def run(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout


def test_each_name_is_found_without_the_others() -> None:
    assert int(run(_EACH_ALONE)) == len(numpact.__all__)


def test_all_names_are_listed_and_imported_by_a_star() -> None:
    assert set(numpact.__all__) <= set(dir(numpact))
    names: dict[str, object] = {}
    exec("from numpact import *", names)
    assert set(numpact.__all__) <= set(names)


def test_other_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="module 'numpact' has no attribute 'frobnicate'"):
        numpact.frobnicate  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(ImportError, match="frobnicate"):
        exec("from numpact import frobnicate")


def test_the_command_starts_without_the_codec() -> None:
    """Nor numpy, which takes longer than all else; it is imported with pyarrow."""
    printed = run("import sys, numpact._command, numpact._cli; print(*sys.modules)").split()
    assert "numpact._cli" in printed
    assert not {"numpact._core", "numpact._codec", "numpy", "json"} & set(printed)
