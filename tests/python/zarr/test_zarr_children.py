# SPDX-License-Identifier: Apache-2.0
"""Decoding in spawned processes, where nothing imports numpact."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from zarr_environments import HERE, run_script

NUMCODECS = "numcodecs.pcodec.PCodec"
PCODEC = "numpact.zarr._numcodec.PCodec"
SERIALIZER = "numpact.zarr.PcoCodec"
VARIABLE = {"ZARR_CODECS": '{"numcodecs.pcodec": "numpact.zarr.PcoCodec"}'}


@pytest.mark.parametrize(
    ("environment", "arguments", "variables", "v2", "v3"),
    [
        # The entry point of numcodecs, where there is no other.
        ("without_pcodec", [], {}, PCODEC, PCODEC),
        # numcodecs prefers its own.
        ("with_pcodec", [], {}, NUMCODECS, NUMCODECS),
        # The entry point of zarr, which a setting has to choose.
        ("with_pcodec", [], VARIABLE, NUMCODECS, SERIALIZER),
        ("with_pcodec", ["--register"], {}, NUMCODECS, SERIALIZER),
        ("with_pcodec", ["--initialize"], {}, PCODEC, SERIALIZER),
    ],
)
def test_children(
    environment: str,
    arguments: list[str],
    variables: dict[str, str],
    v2: str,
    v3: str,
    request: pytest.FixtureRequest,
    numpact_site: Path,
    tmp_path: Path,
) -> None:
    python = request.getfixturevalue(environment)
    script: list[str | Path] = [HERE / "zarr_children.py", tmp_path, *arguments]
    found = json.loads(run_script(python, script, numpact_site, variables))
    assert found == {"v2": [v2, True], "v3": [v3, True]}
