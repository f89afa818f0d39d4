# SPDX-License-Identifier: Apache-2.0
"""Stores that numcodecs and pcodec wrote are read with numpact alone, and the other way round."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from zarr_environments import HERE, run_script

SCRIPT = HERE / "zarr_cases.py"
PEER = {
    "v2": "numcodecs.pcodec",
    "v3": "zarr.codecs.numcodecs._codecs.PCodec",
    "has_pcodec": True,
    "has_numpact": False,
}
OURS = {
    "v2": "numpact.zarr._numcodec",
    "v3": "zarr.codecs.numcodecs._codecs.PCodec",
    "has_pcodec": False,
    "has_numpact": True,
}
REGISTERED = {**OURS, "v3": "numpact.zarr.PcoCodec"}


class Side:
    """One implementation that runs steps of zarr_cases.py on a folder."""

    def __init__(self, python: Path, site: Path | None, identity: dict[str, Any]) -> None:
        self._python, self._site, self._identity = python, site, identity

    def run(self, folder: Path, *steps: str) -> list[str]:
        """The names of the cases that there are."""
        report = json.loads(run_script(self._python, [SCRIPT, folder, *steps], self._site))
        failures, names = report.pop("failures"), report.pop("cases")
        assert report == self._identity
        assert failures == []
        assert names
        return list(names)


@pytest.fixture(scope="module")
def peer(with_pcodec: Path) -> Side:
    return Side(with_pcodec, None, PEER)


@pytest.fixture(
    scope="module", params=["entry point", pytest.param("registered", marks=pytest.mark.slow)]
)
def ours(request: pytest.FixtureRequest, without_pcodec: Path, numpact_site: Path) -> Side:
    """By the entry points alone, and with the serializer of Zarr v3."""
    if request.param == "entry point":
        return Side(without_pcodec, numpact_site, OURS)
    return RegisteredSide(without_pcodec, numpact_site, REGISTERED)


class RegisteredSide(Side):
    def run(self, folder: Path, *steps: str) -> list[str]:
        return super().run(folder, *steps, "--register")


@pytest.fixture(scope="module")
def peer_store(peer: Side, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("peer")
    peer.run(folder, "write", "check", "--wide-only")
    return folder


@pytest.fixture(scope="module")
def our_store(ours: Side, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ours")
    ours.run(folder, "write", "check")
    return folder


def copy_of(store: Path, folder: Path) -> Path:
    import shutil

    return Path(shutil.copytree(store, folder / "copy"))


def test_we_read_theirs_and_they_read_our_changes(
    peer: Side, ours: Side, peer_store: Path, tmp_path: Path
) -> None:
    store = copy_of(peer_store, tmp_path)
    names = ours.run(store, "check", "update", "check-updated")
    assert peer.run(store, "check-updated") == names
    assert len(names) > 40


def test_all_of_theirs_is_read_after_registering(
    without_pcodec: Path, numpact_site: Path, peer_store: Path
) -> None:
    """With the checks of our serializer, behind each filter of numcodecs."""
    names = RegisteredSide(without_pcodec, numpact_site, REGISTERED).run(peer_store, "check")
    assert sum("filter" in name for name in names) > 40


def test_they_read_ours_and_we_read_their_changes(
    peer: Side, ours: Side, our_store: Path, tmp_path: Path
) -> None:
    """Types of 8 bits are read by numcodecs as well, though it does not write them."""
    store = copy_of(our_store, tmp_path)
    names = peer.run(store, "check", "update", "check-updated", "--wide-only")
    assert ours.run(store, "check-updated", "--wide-only") == names
    assert {"v2-uint8", "v3-int8", "sharded-bool"} <= set(names)


def test_metadata_and_keys_are_the_same(peer_store: Path, our_store: Path) -> None:
    theirs = sorted(path.relative_to(peer_store) for path in peer_store.rglob("*"))
    assert len(theirs) > 200
    for path in theirs:
        assert (our_store / path).exists(), path
        if path.name in ("zarr.json", ".zarray"):
            same = json.loads((peer_store / path).read_text())
            assert json.loads((our_store / path).read_text()) == same, path
    for array in peer_store.iterdir():
        expected = sorted(path.relative_to(array) for path in array.rglob("*"))
        got = sorted(path.relative_to(our_store / array.name)
                     for path in (our_store / array.name).rglob("*"))  # fmt: skip
        assert got == expected


def test_stored_settings_are_those_of_numcodecs(our_store: Path) -> None:
    """Spelled out here, because other readers look at them."""
    v2 = json.loads((our_store / "v2-settings/.zarray").read_text())["compressor"]
    assert v2 == {
        "id": "pcodec",
        "level": 4,
        "mode_spec": "classic",
        "delta_spec": "try_consecutive",
        "paging_spec": "equal_pages_up_to",
        "delta_encoding_order": 2,
        "equal_pages_up_to": 50,
    }
    v3 = json.loads((our_store / "v3-order/zarr.json").read_text())["codecs"]
    assert v3 == [{"name": "numcodecs.pcodec", "configuration": {"delta_encoding_order": 1}}]
