# SPDX-License-Identifier: Apache-2.0
"""integrations/postgresql: compressed arrays in a server of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT, locked, run

import numpact

BIN = Path("/usr/lib/postgresql/15/bin")

pytestmark = pytest.mark.skipif(
    not (BIN / "initdb").exists() or not (BIN / "pg_config").exists(),
    reason="postgresql-15 and postgresql-server-dev-15 are not installed",
)

Query = Callable[..., str]


def as_postgres(*command: object) -> list[str]:
    """A command of the user postgres: the server refuses to run as root."""
    words = [str(word) for word in command]
    return ["runuser", "-u", "postgres", "--", *words] if os.geteuid() == 0 else words


def build(prefix: Path, static: bool) -> Path:
    """The module and its scripts."""
    with locked(f"postgresql-{'static' if static else 'shared'}") as folder:
        shutil.copytree(ROOT / "integrations" / "postgresql", folder, dirs_exist_ok=True)
        variables = ["NUMPACT_STATIC=1"] if static else []
        paths = [str(path.parent) for path in prefix.glob("lib*/**/numpact.pc")]
        environment = {**os.environ, "PKG_CONFIG_PATH": ":".join(paths)}
        words = ["make", f"PG_CONFIG={BIN / 'pg_config'}", *variables]
        done = run(*words, cwd=folder, env=environment)
        assert "warning" not in done.stdout + done.stderr, done.stdout + done.stderr
        return folder


@pytest.fixture(scope="module")
def server(static_prefix: Path) -> Iterator[Query]:
    """A server in a folder of its own, on a socket only. Calls run a query and return its text."""
    for folder in ("--pkglibdir", "--sharedir"):
        if not os.access(run(BIN / "pg_config", folder).stdout.strip(), os.W_OK):
            pytest.skip("the folders of PostgreSQL's extensions cannot be written")
    plugin = build(static_prefix, static=True)
    # Not in the folder of pytest, which belongs to root, and short: the socket has a long name.
    root = Path(tempfile.mkdtemp(prefix="numpact-pg-"))
    data = root / "data"
    if os.geteuid() == 0:
        shutil.chown(root, "postgres")
    # The server looks for the extension in its own folders: installed there, as make install does.
    run("make", f"PG_CONFIG={BIN / 'pg_config'}", "NUMPACT_STATIC=1", "install", cwd=plugin,
        env={**os.environ, "PKG_CONFIG_PATH": ""})  # fmt: skip
    run(*as_postgres(BIN / "initdb", "-D", data, "-A", "trust", "-N", "-E", "UTF8"))
    settings = f"-c listen_addresses='' -c unix_socket_directories='{root}' -c fsync=off"
    log = root / "log"
    run(*as_postgres(BIN / "pg_ctl", "-D", data, "-w", "-l", log, "-o", settings, "start"),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, capture_output=False)  # fmt: skip

    def query(text: str, error: str | None = None, warning: str | None = None) -> str:
        command = as_postgres(BIN / "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1",
                              "-v", "VERBOSITY=verbose", "-h", root, "-d", "postgres")  # fmt: skip
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, timeout=600, check=False
        )
        if error is None:
            assert done.returncode == 0, done.stderr
            if warning is not None:  # "": there is none
                assert warning in done.stderr, done.stderr
                assert bool(warning) == ("WARNING" in done.stderr), done.stderr
        else:
            assert done.returncode != 0
            assert error in done.stderr, done.stderr
        return done.stdout.strip()

    query.root = root  # type: ignore[attr-defined]  # the server can read files there
    try:
        query("CREATE EXTENSION numpact")
        yield query
    finally:
        run(*as_postgres(BIN / "pg_ctl", "-D", data, "-m", "immediate", "stop"))
    said = log.read_text()
    shutil.rmtree(root)
    assert "was terminated by signal" not in said


def literal(numbers: np.ndarray, type: str) -> str:
    values = ",".join(repr(number) for number in numbers.tolist())
    return f"'{{{values}}}'::{type}[]"


CASES = {
    "int2": np.array([-32768, -1, 0, 1, 32767], np.int16),
    "int4": np.arange(-5000, 5000, dtype=np.int32) ** 2,
    "int8": np.array([-(2**63), 0, 2**63 - 1], np.int64),
    "float4": np.array([0.0, -0.0, 1.5, np.inf, -np.inf, np.nan, 1e-45], np.float32),
    "float8": np.random.default_rng(1).normal(size=5000).round(2),
}


@pytest.mark.parametrize("type", CASES)
@pytest.mark.parametrize("level", [0, 8, 12])
def test_round_trip(server: Query, type: str, level: int) -> None:
    numbers = CASES[type]
    packed = server(f"SELECT encode(pco_compress({literal(numbers, type)}, {level}), 'hex')")
    back = numpact.decompress(bytes.fromhex(packed))
    assert back.dtype == numbers.dtype
    assert back.tobytes() == numbers.tobytes()
    same = server(
        f"WITH x AS (SELECT {literal(numbers, type)} AS a) "
        f"SELECT pco_decompress_{type}(pco_compress(a, {level})) = a, "
        f"pco_decompress_{type}(pco_compress(a, {level}), 2, 3) = a[2:4] FROM x"
    )
    assert same == "t|t"


def file_of(numbers: np.ndarray, **options: object) -> str:
    return f"'\\x{numpact.compress(numbers, **options).hex()}'::bytea"


def test_smaller_types_are_widened(server: Query) -> None:
    for dtype, into in (
        ("u1", "int2"), ("i1", "int2"), ("u2", "int4"), ("i2", "int8"), ("u4", "int8"),
        ("f2", "float4"), ("f2", "float8"), ("f4", "float8"), ("u1", "int8"),
    ):  # fmt: skip
        top = 1.5 if dtype[0] == "f" else np.iinfo(dtype).max
        numbers = np.array([0, 1, top], dtype)
        found = server(f"SELECT pco_decompress_{into}({file_of(numbers)})")
        assert found == "{" + ",".join(f"{number:g}" if dtype[0] == "f" else str(number)
                                       for number in numbers.tolist()) + "}"  # fmt: skip


def test_other_types_are_refused_by_name(server: Query) -> None:
    for dtype, into, said, reads in (
        ("u8", "int8", "u64, which are not read as int8 (i64)", None),
        ("i4", "int2", "i32, which are not read as int2 (i16)", "int4"),
        ("u2", "int2", "u16, which are not read as int2 (i16)", "int4"),
        ("f8", "float4", "f64, which are not read as float4 (f32)", "float8"),
        ("i4", "float8", "i32, which are not read as float8 (f64)", "int4"),
        ("f4", "int8", "f32, which are not read as int8 (i64)", "float4"),
        ("u1", "float4", "u8, which are not read as float4 (f32)", "int2"),
        ("f2", "int4", "f16, which are not read as int4 (i32)", "float4"),
    ):
        file = file_of(np.array([1], dtype))
        hint = f"pco_decompress_{reads} reads them" if reads else "has no type"
        for error in ("42804", f"numbers of type {said}", hint):
            server(f"SELECT pco_decompress_{into}({file})", error=error)
        if reads:
            assert server(f"SELECT pco_decompress_{reads}({file})::{into}[]") == "{1}"


def test_empty_null_and_dimensions(server: Query) -> None:
    assert server("SELECT pco_decompress_int4(pco_compress('{}'::int4[]))") == "{}"
    assert server("SELECT pco_compress(NULL::int4[]) IS NULL") == "t"
    assert server("SELECT pco_decompress_int4(NULL) IS NULL") == "t"
    server("SELECT pco_compress('{1,NULL,3}'::int4[])", error="22004")
    server("SELECT pco_compress('{{1,2},{3,4}}'::int4[])", error="2202E")
    server("SELECT pco_compress('{1}'::int4[], 13)", error="22023")
    server("SELECT pco_compress('{1}'::int4[], -1)", error="22023")
    assert server("SELECT pco_decompress_int4(pco_compress('[5:6]={8,9}'::int4[]))") == "{8,9}"
    # An array whose nulls are gone again still has room for their bitmap.
    removed = "array_remove('{1,NULL}'::int4[], NULL)"
    assert server(f"SELECT pco_decompress_int4(pco_compress({removed}))") == "{1}"


def test_ranges(server: Query) -> None:
    file = file_of(np.arange(1000, dtype=np.int64), paging=300, trailer=True)
    for first, count, expected in (
        (1, 2, "{0,1}"), (300, 3, "{299,300,301}"), (1000, 5, "{999}"), (1001, 5, "{}"),
        (5, 0, "{}"), (2**62, 2**62, "{}"),
    ):  # fmt: skip
        assert server(f"SELECT pco_decompress_int8({file}, {first}, {count})") == expected
    server(f"SELECT pco_decompress_int8({file}, 0, 1)", error="22023")
    server(f"SELECT pco_decompress_int8({file}, 1, -1)", error="22023")


def test_info(server: Query) -> None:
    data = numpact.compress(np.arange(1000, dtype=np.uint16))
    found = server(f"SELECT * FROM pco_info('\\x{data.hex()}'::bytea)")
    assert found == f"u16|1000|{len(data)}|4.1"
    assert server("SELECT (pco_info(pco_compress('{1.5}'::float4[]))).type") == "f32"


def test_tables_and_aggregates(server: Query) -> None:
    """Stored out of line, read back, and by parallel workers."""
    found = server("""
        CREATE TABLE series (sensor int, readings bytea);
        ALTER TABLE series ALTER COLUMN readings SET STORAGE EXTERNAL;
        INSERT INTO series SELECT s, pco_compress(array_agg((s * 7919 * i) % 100003 / 100.0::float8
            ORDER BY i)) FROM generate_series(1, 8) s, generate_series(1, 20000) i GROUP BY s;
        SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
        SET min_parallel_table_scan_size = 0;
        SELECT count(*), sum(x) = (SELECT sum((s * 7919 * i) % 100003 / 100.0::float8)
            FROM generate_series(1, 8) s, generate_series(1, 20000) i)
        FROM (SELECT unnest(pco_decompress_float8(readings)) x FROM series ORDER BY sensor) t""")
    assert found.startswith("160000|")
    assert server("SELECT sum((pco_info(readings)).count) FROM series") == "160000"


WHOLE = numpact.compress(np.random.default_rng(5).integers(0, 1000, 1000))
HOSTILE = {"empty": b"", "short": WHOLE[:-5], "noise": b"\xff" * 500, "no chunk": WHOLE[:9]}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_bytes(server: Query, name: str) -> None:
    bytea = f"'\\x{HOSTILE[name].hex()}'::bytea"
    for call in ("pco_decompress_int8({})", "pco_decompress_int8({}, 1, 5)", "pco_info({})"):
        server(f"SELECT {call.format(bytea)}", error="XX001")


def test_bytes_behind_a_file_are_warned_of(server: Query) -> None:
    """Of joined files the first one is read, and a damaged trailer compares nothing."""
    plain = numpact.compress(np.arange(1000), trailer=False)
    indexed = numpact.compress(np.arange(1000), trailer=True)
    damaged = indexed[: len(plain)] + bytes(len(indexed) - len(plain))
    for file, at in ((plain + plain, len(plain)), (indexed + plain, len(indexed)),
                     (plain + b"xyz", len(plain)), (damaged, len(plain))):  # fmt: skip
        bytea, warning = f"'\\x{file.hex()}'::bytea", f"At byte {at}."
        whole = server(f"SELECT pco_decompress_int8({bytea})", warning=warning)
        assert whole.count(",") == 999
        assert server(f"SELECT pco_decompress_int8({bytea}, 2, 2)", warning=warning) == "{1,2}"
        assert server(f"SELECT (pco_info({bytea})).count", warning=warning) == "1000"
    server(f"SELECT pco_decompress_int8('\\x{indexed.hex()}'::bytea)", warning="")


def test_newer_version(server: Query) -> None:
    data = bytearray(numpact.compress(np.arange(100)))
    data[4] = 99
    server(f"SELECT pco_decompress_int8('\\x{data.hex()}'::bytea)", error="0A000")


def test_mutants(server: Query) -> None:
    """Single changed bytes give numbers or an error of their own, and the server lives."""
    data = numpact.compress(np.cumsum(np.random.default_rng(3).integers(-5, 9, 3000)), paging=1000)
    values = []
    for at in range(0, len(data), 5):
        mutant = bytearray(data)
        mutant[at] ^= 1 << at % 8
        values.append(f"('\\x{mutant.hex()}'::bytea)")
    found = server(f"""
        CREATE FUNCTION attempt(file bytea) RETURNS text LANGUAGE plpgsql AS $$
        BEGIN
          RETURN 'numbers ' || (cardinality(pco_decompress_int8(file)) >= 0);
        EXCEPTION WHEN data_corrupted OR datatype_mismatch OR feature_not_supported
            OR program_limit_exceeded THEN
          RETURN 'error';
        END $$;
        SELECT DISTINCT attempt(file) FROM (VALUES {",".join(values)}) v(file) ORDER BY 1""")
    assert found == "error\nnumbers true"


def test_bombs(server: Query) -> None:
    """A few hundred bytes that stand for more numbers than an array holds."""
    bomb = numpact.compress(np.zeros(1 << 24, np.int64), 1, paging=1 << 24)
    with numpact.File(bomb) as file:
        start = file.chunks[0].offset
    many = bomb[:start] + bomb[start:-1] * 9 + bomb[-1:]
    server(f"SELECT pco_decompress_int8('\\x{many.hex()}'::bytea)", error="54000")
    assert server(f"SELECT count FROM pco_info('\\x{many.hex()}'::bytea)") == str(9 << 24)
    last = f"pco_decompress_int8('\\x{many.hex()}'::bytea, {9 << 24}, 5)"
    assert server(f"SELECT {last}") == "{0}"


def test_cancel(server: Query) -> None:
    """statement_timeout ends a compression and a decompression, and the session goes on."""
    found = server("""
        CREATE TEMP TABLE big AS SELECT array_agg(random()) a FROM generate_series(1, 2200000);
        SELECT 'ready';
        \\set ON_ERROR_STOP 0
        SET statement_timeout = 300;
        SELECT length(pco_compress(a, 12)) FROM big;
        SELECT :'LAST_ERROR_SQLSTATE';
        SET statement_timeout = 0;
        SELECT cardinality(pco_decompress_int4(pco_compress('{1,2,3}'::int4[])))""")
    assert found.split() == ["ready", "57014", "3"]


def test_cancel_while_decompressing(server: Query) -> None:
    bomb = numpact.compress(np.arange(1 << 22), 1, paging=1 << 22)
    with numpact.File(bomb) as file:
        start = file.chunks[0].offset
    many = bomb[:start] + bomb[start:-1] * 2000 + bomb[-1:]
    path = server.root / "bomb"  # type: ignore[attr-defined]
    path.write_bytes(many)
    found = server(f"""
        \\set ON_ERROR_STOP 0
        SET statement_timeout = 200;
        SELECT count FROM pco_info(pg_read_binary_file('{path}'));
        SELECT :'LAST_ERROR_SQLSTATE';
        SELECT 'lives'""")
    assert found.split() == ["57014", "lives"]


def test_memory_is_given_back(server: Query) -> None:
    """After many calls and errors in one session, its memory is what it was before."""
    found = server(f"""
        CREATE FUNCTION used() RETURNS bigint LANGUAGE sql AS
          'SELECT sum(total_bytes)::bigint FROM pg_backend_memory_contexts';
        CREATE TEMP TABLE x AS
          SELECT array_agg(i * 0.25::float8) a FROM generate_series(1, 100000) i;
        CREATE FUNCTION work(n int) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE bad bytea := {file_of(np.arange(100))};
        BEGIN
          bad := substr(bad, 1, length(bad) - 5);
          FOR i IN 1 .. n LOOP
            PERFORM cardinality(pco_decompress_float8(pco_compress(a, 4))) FROM x;
            BEGIN
              PERFORM pco_decompress_int8(bad);
            EXCEPTION WHEN data_corrupted THEN NULL;
            END;
          END LOOP;
        END $$;
        SELECT work(5);
        CREATE TEMP TABLE before AS SELECT used() AS bytes;
        SELECT work(60);
        SELECT used() - bytes < 1000000 FROM before;
        SELECT count(*) FROM pg_backend_memory_contexts WHERE name LIKE 'numpact%'""")
    assert found.split() == ["t", "0"]


def test_shared_library_builds(prefix: Path) -> None:
    module = build(prefix, static=False) / "numpact.so"
    assert "libnumpact" in run("ldd", module).stdout
