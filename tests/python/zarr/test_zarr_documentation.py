# SPDX-License-Identifier: Apache-2.0
"""docs/zarr.md says what is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from zarr_environments import ROOT, run_script

PAGE = (ROOT / "docs/zarr.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(
    "environment", ["without_pcodec", pytest.param("with_pcodec", marks=pytest.mark.slow)]
)
def test_python_blocks(
    environment: str, request: pytest.FixtureRequest, numpact_site: Path, tmp_path: Path
) -> None:
    """In order and in one process, as a reader would."""
    code = blocks("python")
    assert len(code) == 7
    script = tmp_path / "page.py"
    script.write_text("\n".join(code))
    run_script(request.getfixturevalue(environment), [script], numpact_site, cwd=tmp_path)


def test_variable(with_pcodec: Path, numpact_site: Path) -> None:
    (block,) = blocks("sh")
    (value,) = re.findall(r"^export ZARR_CODECS='(.*)'$", block, re.MULTILINE)
    code = "from zarr.registry import get_codec_class as g; print(g('numcodecs.pcodec'), g('gzip'))"
    said = run_script(with_pcodec, ["-c", code], numpact_site, {"ZARR_CODECS": value})
    assert "numpact.zarr.PcoCodec" in said
    assert "zarr.codecs.gzip" in said


def test_table_of_settings() -> None:
    from numpact.zarr import PCodec

    rows = dict(re.findall(r"^\| `(\w+)` \| `?([^`|]+?)`? \|", PAGE, re.MULTILINE))
    for name, value in PCodec().get_config().items():
        if name != "id":
            assert rows[name].strip('"') == str(value)
