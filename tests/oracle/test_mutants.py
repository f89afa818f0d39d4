# SPDX-License-Identifier: Apache-2.0
"""Every file that differs in one byte from one that a release of the reference wrote: the same
result as the reference's, the same numbers, no crash."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from mutants import DIED, Mutant, mutants, results

HERE = Path(__file__).resolve().parent
FILES = sorted((HERE.parent / "fixtures" / "pco").glob("*.pco"))
# Where both may differ, each with its reason.
ALLOWED = {
    (entry["file"], entry["at"], entry["value"]): (entry["reference"], entry["numpact"])
    for entry in json.loads((HERE / "mutants_allowed.json").read_text())
}


def check(checked: list[Mutant]) -> None:
    theirs, ours = results("reference", checked), results("numpact", checked)
    assert DIED not in ours, str(checked[ours.index(DIED)])
    for mutant, pair in zip(checked, zip(theirs, ours, strict=True), strict=True):
        allowed = ALLOWED.get((mutant.path.stem, mutant.at, mutant.value))
        if allowed is not None:
            assert pair == allowed, f"{mutant}: no longer as allowed"
        else:
            assert pair[0] == pair[1], f"{mutant}: pcodec {pair[0]}, numpact {pair[1]}"
    read = sum(result not in ("refused", DIED) for result in ours)
    print(f"{len(checked)} mutants: {read} read the same, {len(checked) - read} refused")
    assert 0.5 * len(checked) < read < 0.95 * len(checked)


def every_mutant() -> list[Mutant]:
    assert len(FILES) == 13
    return [mutant for path in FILES for mutant in mutants(path)]


def test_some_mutants(rng: np.random.Generator) -> None:
    check([mutant for mutant in every_mutant() if rng.random() < 0.1])


@pytest.mark.slow
def test_all_mutants() -> None:
    check(every_mutant())
