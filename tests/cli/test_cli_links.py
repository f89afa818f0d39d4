# SPDX-License-Identifier: Apache-2.0
"""Links as outputs: what they lead to is written, and they stay."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from cli_program import FAILURE, count, leftovers, refused, run


def test_links_to_files(grows: Path, tmp_path: Path) -> None:
    (tmp_path / "far/inner").mkdir(parents=True)
    (tmp_path / "far/one.pco").symlink_to("inner/made.pco")  # leads to nothing yet
    (tmp_path / "two.pco").symlink_to("far/one.pco")
    made = tmp_path / "far/inner/made.pco"
    for expected, arguments in [(5, ["compress", tmp_path / "five.npy"]),
                                (9, ["compress", tmp_path / "nine.npy", "-f"]),
                                (14, ["compress", tmp_path / "five.npy", "--append"])]:
        run(*arguments, "-o", tmp_path / "two.pco")
        assert count(made) == expected
        assert (tmp_path / "two.pco").is_symlink() and (tmp_path / "far/one.pco").is_symlink()
    refused("compress", tmp_path / "five.npy", "-o", tmp_path / "two.pco", code=FAILURE)
    run("index", tmp_path / "two.pco", "--remove")
    assert (tmp_path / "two.pco").is_symlink() and count(made) == 14
    assert all(leftovers(path) == [] for path in [tmp_path, tmp_path / "far", made.parent])


def test_links_of_other_commands(grows: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.ones((4, 3), np.float32))
    run("cvc", "pack", tmp_path / "v.npy", "-o", tmp_path / "v.cvc")
    (tmp_path / "far").mkdir()
    for arguments, name in [(["decompress", grows, "-o"], "out.npy"),
                            (["cvc", "pack", tmp_path / "v.npy", "-o"], "packed.cvc"),
                            (["cvc", "slice", tmp_path / "v.cvc"], "slice.cvc"),
                            (["cvc", "unpack", tmp_path / "v.cvc", "-o"], "rows.npy")]:
        link = tmp_path / f"link_{name}"
        link.symlink_to(Path("far") / name)
        for force in [[], ["-f"]]:
            run(*arguments, link, *force)
            assert link.is_symlink() and (tmp_path / "far" / name).is_file()
        (tmp_path / "far" / name).unlink()


def test_links_that_lead_nowhere(grows: Path, tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    for arguments in [["compress", tmp_path / "five.npy", "-o"], ["decompress", grows, "--to",
                                                                 "raw", "-o"]]:
        line = refused(*arguments, tmp_path / "a", code=FAILURE)
        assert line.startswith(f"{tmp_path / 'a'}: ") and "lead back to themselves" in line
    (tmp_path / "no_folder").symlink_to("missing/made.pco")
    line = refused("compress", tmp_path / "five.npy", "-o", tmp_path / "no_folder", code=FAILURE)
    assert line.endswith("No such file or directory")


@pytest.mark.usefixtures("arrow")
def test_links_to_folders(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    (tmp_path / "u.csv").write_text("c,d,e\n1,2,3\n")
    (tmp_path / "far").mkdir()
    (tmp_path / "link").symlink_to("far/folder")  # leads to nothing yet
    run("compress", tmp_path / "t.csv", "-o", tmp_path / "link")
    for ending in ["", "/"]:
        run("compress", tmp_path / "u.csv", "-f", "-o", f"{tmp_path / 'link'}{ending}")
        assert (tmp_path / "link").is_symlink()
        names = sorted(path.name for path in (tmp_path / "far/folder").iterdir())
        assert names == ["c.pco", "d.pco", "e.pco", "manifest.json"]
        run("compress", tmp_path / "t.csv", "-f", "-o", f"{tmp_path / 'link'}{ending}")
        assert (tmp_path / "far/folder/a.pco").exists()
    assert leftovers(tmp_path) == [] and leftovers(tmp_path / "far") == []
    # Folders that numpact did not write are not removed, through a link either.
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/letter").write_text("dear")
    (tmp_path / "to_mine").symlink_to("mine")
    line = refused("compress", tmp_path / "t.csv", "-f", "-o", tmp_path / "to_mine", code=FAILURE)
    assert "not a folder of numpact" in line and (tmp_path / "mine/letter").exists()
