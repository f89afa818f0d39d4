# SPDX-License-Identifier: Apache-2.0
"""libcpcodec in the place of the reference's C binding, in imagecodecs, which was written for that.

The wheel of imagecodecs has the reference compiled into its module _pcodec. Two copies of the wheel
are made; in one of them the module is compiled again from the unchanged source of the same release,
with this project's header and library. Both then run the same work, each in a process of its own,
and the copy with our library passes imagecodecs' own test. Wheel and source are fetched by pip when
the test runs and stay under build/engines.
"""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import locked, run

VERSION = "2026.3.6"
# The sources of the module; every module of imagecodecs includes the last two.
SOURCES = ["_pcodec.pyx", "pcodec.pxd", "_shared.pxd", "_shared.pxi"]
DTYPES = ["u1", "i1", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8"]


def fetch(folder: Path, *options: str) -> Path:
    """Downloads one file of the release, or skips."""
    folder.mkdir(exist_ok=True)
    if not list(folder.glob("imagecodecs-*")):
        command = [sys.executable, "-m", "pip", "download", "--disable-pip-version-check",
                   "--no-deps", "-q", "-d", str(folder), *options,
                   f"imagecodecs=={VERSION}"]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            pytest.skip(f"pip cannot fetch imagecodecs {VERSION}: {done.stderr.strip()[-200:]}")
    return next(folder.glob("imagecodecs-*"))


def unpack(wheel: Path, folder: Path) -> None:
    if not folder.exists():
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)


def compile_module(source: Path, package: Path, prefix: Path, build: Path) -> None:
    """Puts _pcodec, over the installed libcpcodec, in the place of the wheel's."""
    inner = build / "imagecodecs"
    inner.mkdir(parents=True, exist_ok=True)
    with tarfile.open(source) as archive:
        for name in SOURCES:
            member = archive.extractfile(f"imagecodecs-{VERSION}/imagecodecs/{name}")
            assert member is not None
            (inner / name).write_bytes(member.read())
    (inner / "__init__.py").touch()
    run(sys.executable, "-m", "cython", "-3", "-I", "imagecodecs", "imagecodecs/_pcodec.pyx",
        cwd=build)  # fmt: skip
    query = "import sysconfig, numpy; print(sysconfig.get_path('include'), numpy.get_include())"
    python, numpy_headers = run(sys.executable, "-c", query).stdout.split()
    library = next(prefix.glob("lib*/**/libcpcodec.so")).parent
    for module in package.glob("_pcodec.*.so"):
        module.unlink()
    run("cc", "-O1", "-w", "-shared", "-fPIC", f"-I{python}", f"-I{numpy_headers}",
        f"-I{prefix}/include", "imagecodecs/_pcodec.c", "-o", package / "_pcodec.abi3.so",
        f"-L{library}", f"-Wl,-rpath,{library}", "-lcpcodec", cwd=build)  # fmt: skip


@pytest.fixture(scope="module")
def copies(prefix: Path) -> dict[str, Path]:
    """The folders of both copies, and the source archive of the release."""
    with locked("imagecodecs") as folder:
        wheel = fetch(folder / "wheel", "--only-binary", "imagecodecs")
        source = fetch(folder / "source", "--no-build-isolation", "--no-binary", "imagecodecs")
        unpack(wheel, folder / "theirs")
        if not (folder / "ours").exists():
            shutil.copytree(folder / "theirs", folder / "ours", copy_function=os.link)
        compile_module(source, folder / "ours/imagecodecs", prefix, folder / "build")
        return {"theirs": folder / "theirs", "ours": folder / "ours", "source": source}


def work(copy: Path, jobs: list[tuple[Any, ...]], folder: Path) -> list[Any]:
    """The results of jobs with one of the copies; an error is its text."""
    given, made = folder / "jobs.pickle", folder / "results.pickle"
    given.write_bytes(pickle.dumps(jobs))
    run(sys.executable, __file__, copy, given, made)
    results: list[Any] = pickle.loads(made.read_bytes())
    assert len(results) == len(jobs)
    return results


def do_jobs(copy: str, given: str, made: str) -> None:
    """In the process of one copy: encodes or decodes."""
    sys.path.insert(0, copy)
    import imagecodecs

    assert str(imagecodecs.__file__).startswith(copy)
    results: list[Any] = []
    for what, *arguments in pickle.loads(Path(given).read_bytes()):
        try:
            if what == "encode":
                data, level, pagesize = arguments
                results.append(bytes(imagecodecs.pcodec_encode(data, level, pagesize=pagesize)))
            else:
                results.append(imagecodecs.pcodec_decode(*arguments))
        except (RuntimeError, ValueError) as error:
            results.append(str(error))
    Path(made).write_bytes(pickle.dumps(results))


def arrays() -> list[np.ndarray[Any, Any]]:
    """Noise, steps and decimals of every type, of several sizes and dimensions."""
    generator = np.random.default_rng(5)
    made = []
    for dtype in map(np.dtype, DTYPES):
        for shape in [(0,), (1,), (7, 3), (40, 50), (3000,)]:
            noise = generator.integers(0, 256, (*shape, dtype.itemsize), np.uint8)
            made.append(noise.view(dtype).reshape(shape))
            steps = generator.integers(0, 9, shape).cumsum(-1).astype(dtype)
            made.append(steps)
            if dtype.kind == "f":
                made.append((steps.astype("f8") / 100).astype(dtype))
    return made


def same(a: Any, b: np.ndarray[Any, Any]) -> bool:
    """Bit for bit."""
    return (
        isinstance(a, np.ndarray)
        and (a.dtype, a.shape) == (b.dtype, b.shape)
        and a.tobytes() == b.tobytes()
    )


def test_the_module_is_over_our_library(copies: dict[str, Path], prefix: Path) -> None:
    linked = run("ldd", next((copies["ours"] / "imagecodecs").glob("_pcodec.*"))).stdout
    assert f"=> {prefix}/" in linked
    linked = run("ldd", next((copies["theirs"] / "imagecodecs").glob("_pcodec.*"))).stdout
    assert str(prefix) not in linked


def test_interchange(copies: dict[str, Path], tmp_path: Path) -> None:
    settings = [(None, None), (0, None), (12, None), (4, 100)]
    jobs = [("encode", data, *settings[i % len(settings)]) for i, data in enumerate(arrays())]
    files = {name: work(copies[name], jobs, tmp_path) for name in ("ours", "theirs")}
    assert all(isinstance(file, bytes) for file in files["ours"])
    # The reference's bound, by which imagecodecs allocates, is too small for some small pages.
    failed = [job for job, file in zip(jobs, files["theirs"], strict=True) if isinstance(file, str)]
    assert all(pagesize == 100 for *_, pagesize in failed)
    assert len(failed) < len(jobs) // 8
    for written_by, read_by in (("ours", "theirs"), ("theirs", "ours"), ("ours", "ours")):
        decoding = [
            ("decode", file, job[1].shape, job[1].dtype)
            for file, job in zip(files[written_by], jobs, strict=True)
            if isinstance(file, bytes)
        ]
        written = [
            job[1]
            for file, job in zip(files[written_by], jobs, strict=True)
            if isinstance(file, bytes)
        ]
        for result, data in zip(work(copies[read_by], decoding, tmp_path), written, strict=True):
            assert same(result, data), (written_by, read_by, data.dtype, data.shape, result)


def test_arguments_that_are_refused(copies: dict[str, Path], tmp_path: Path) -> None:
    data = np.arange(100, dtype="i4")
    [file] = work(copies["theirs"], [("encode", data, None, None)], tmp_path)
    jobs = [
        ("decode", file, (100,), np.dtype("u4")),
        ("decode", file, (100,), np.dtype("i8")),
        ("decode", file, (99,), np.dtype("i4")),
        ("decode", file, (101,), np.dtype("i4")),
        ("decode", file, (100,), np.dtype("c16")),
        ("decode", file[:-1], (100,), np.dtype("i4")),
        ("decode", file[:5], (100,), np.dtype("i4")),
        ("decode", file + b"more", (100,), np.dtype("i4")),
        ("encode", data.astype("c16"), None, None),
        ("encode", data, 99, None),
    ]
    ours, theirs = (work(copies[name], jobs, tmp_path) for name in ("ours", "theirs"))
    for job, a, b in zip(jobs, ours, theirs, strict=True):
        if job[0] == "encode" and isinstance(b, bytes):
            assert isinstance(a, bytes)
        elif isinstance(b, np.ndarray):
            assert same(a, b)
        else:
            assert a == b  # the same words


def test_hostile_bytes(copies: dict[str, Path], tmp_path: Path) -> None:
    """Changed bytes: where one copy fails the other fails, else both have the same numbers."""
    generator = np.random.default_rng(6)
    jobs = []
    for dtype in ("f8", "i4", "u2"):
        data = generator.integers(0, 500, 300).cumsum().astype(dtype)
        [file] = work(copies["theirs"], [("encode", data, None, None)], tmp_path)
        for _ in range(400):
            changed = bytearray(file)
            for _ in range(generator.integers(1, 4)):
                changed[generator.integers(len(file))] = generator.integers(256)
            jobs.append(("decode", bytes(changed), data.shape, data.dtype))
    ours, theirs = (work(copies[name], jobs, tmp_path) for name in ("ours", "theirs"))
    failed = differ = 0
    for job, a, b in zip(jobs, ours, theirs, strict=True):
        if isinstance(b, str):
            failed += 1
            assert isinstance(a, str), job[2:]
        elif not same(a, b):
            # The release of the reference in this wheel, 1.0.1, gives some products of a forged
            # float-mult that wrap the other sign than pcodec 1.1.0 and numpact do.
            differ += 1
            assert job[3] == "f8"
            assert same(np.abs(a), np.abs(b))
    assert 100 < failed < len(jobs) - 100
    assert differ < len(jobs) // 50


def test_their_own_test(copies: dict[str, Path], tmp_path: Path) -> None:
    with tarfile.open(copies["source"]) as archive:
        expected = [m for m in archive.getmembers() if m.name.split("/")[1:2] == ["tests"]]
        archive.extractall(tmp_path, members=expected, filter="data")
    tests = tmp_path / f"imagecodecs-{VERSION}/tests"
    environment = {"PYTHONPATH": str(copies["ours"]), "PATH": "/usr/bin:/bin"}
    done = run(sys.executable, "-m", "pytest", "-q", "--assert=plain", "-k", "test_pcodec",
               tests / "test_imagecodecs.py", cwd=tests, env=environment)  # fmt: skip
    assert " passed" in done.stdout
    assert "skipped" not in done.stdout
    shutil.rmtree(tests)


if __name__ == "__main__":
    do_jobs(*sys.argv[1:])
