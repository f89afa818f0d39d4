# SPDX-License-Identifier: Apache-2.0
"""Zarr arrays with the codec pcodec: numpact compared with numcodecs and the package pcodec.

An array of 64 MB, float32, two dimensions, in memory; each row is one process with one
configuration of chunks, and the best of several rounds. zarr runs chunks in threads of its own;
--concurrency 1 has it do one after the other.
"""
import argparse
import json
import subprocess
import sys
import time
import warnings

SIDES = ("numcodecs + pcodec", "numpact, wrapper", "numpact, PcoCodec")


def numbers():
    """A smooth field with noise, rounded to 0.01: what a model or a station might store."""
    import numpy as np

    rng = np.random.default_rng(1)
    field = np.cumsum(np.cumsum(rng.normal(size=(4096, 4096)), axis=0), axis=1)
    field = 15 * field / np.abs(field).max() + rng.normal(size=field.shape) * 0.1
    return field.astype(np.float32).round(2)


def measure(side, chunk, version, concurrency, rounds, level, clock):
    """Seconds to write and to read, and the bytes stored."""
    import numcodecs
    import numpy as np
    import zarr

    warnings.simplefilter("ignore")
    if side != SIDES[0]:
        import numpact.zarr

        numcodecs.register_codec(numpact.zarr.PCodec)
        if side == SIDES[2]:
            numpact.zarr.register()
    x = numbers()
    if version == 2:
        codec = {"compressors": {"id": "pcodec", "level": level}, "filters": None}
    else:
        serializer = {"name": "numcodecs.pcodec", "configuration": {"level": level}}
        codec = {"serializer": serializer, "compressors": None}
    best = [float("inf"), float("inf")]
    with zarr.config.set({"async.concurrency": concurrency}):
        for _ in range(rounds):
            store = zarr.storage.MemoryStore()
            array = zarr.create_array(store, shape=x.shape, chunks=(chunk, chunk), dtype=x.dtype,
                                      zarr_format=version, **codec)
            start = clock()
            array[...] = x
            written = clock()
            got = array[...]
            best[0] = min(best[0], written - start)
            best[1] = min(best[1], clock() - written)
            assert np.array_equal(got, x)
    return {"write": best[0], "read": best[1], "size": array.nbytes_stored(), "plain": x.nbytes}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chunks", type=int, nargs="+", default=[128, 512, 2048])
    parser.add_argument("--version", type=int, choices=(2, 3), default=3)
    parser.add_argument("--concurrency", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--level", type=int, default=8)
    parser.add_argument("--cpu", action="store_true",
                        help="processor time of all threads, which a busy machine changes less")
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        result = measure(options.side, options.chunks[0], options.version, options.concurrency,
                         options.rounds, options.level,
                         time.process_time if options.cpu else time.perf_counter)
        json.dump(result, sys.stdout)
        return
    sides = SIDES if options.version == 3 else SIDES[:2]
    print(f"{'chunk':>9}  {'codec':<20}{'write MB/s':>11}{'read MB/s':>11}{'ratio':>8}")
    for chunk in options.chunks:
        for side in sides:
            command = [sys.executable, __file__, "--side", side, "--chunks", str(chunk)]
            for name in ("version", "concurrency", "rounds", "level"):
                command += [f"--{name}", str(getattr(options, name))]
            command += ["--cpu"] if options.cpu else []
            out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            row = json.loads(out)
            megabytes = row["plain"] / 1e6
            print(f"{f'{chunk}x{chunk}':>9}  {side:<20}{megabytes / row['write']:>11.0f}"
                  f"{megabytes / row['read']:>11.0f}{row['plain'] / row['size']:>8.3f}", flush=True)


if __name__ == "__main__":
    main()
