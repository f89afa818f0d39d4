#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Decodes made-up numbers of every type, mode and delta encoding, with numpact and pcodec.

Both decode the same file: the one that pcodec writes, or ours where pcodec does not use the mode
and delta that were asked for. docs/benchmarks/decoding.md explains them. Exits with 1 if a
decoder gave other numbers.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

import combo_data
import numpact_ctypes as numpact
import numpy as np
from combo_data import Combo
from goals import Standing, geometric_mean, goal_lines
from measure import same_bits
from options import add_target, use_target, use_threads
from pcodec import ChunkConfig, DeltaSpec, ModeSpec, standalone
from rounds import best_of_rounds

SLOWEST = 12


@dataclass
class Result:
    name: str
    writer: str
    choice: str  # mode and delta of the file
    as_asked: bool
    size: int
    count: int
    bins: list[int]
    seconds: dict[str, float] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def nanoseconds(self, codec: str) -> float:
        return self.seconds[codec] * 1e9 / self.count

    def standing(self) -> Standing:
        mine = self.seconds["ours"]
        return Standing(self.name, self.seconds["pcodec"] / mine, self.seconds["memcpy"] / mine)


def guarded(action: Callable[[], object]) -> str:
    """A description of the failure, or none; panics of the pcodec package are not Exceptions."""
    try:
        action()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return str(error).splitlines()[0] if str(error) else type(error).__name__
    return ""


def reference_config(config: numpact.Config) -> ChunkConfig:
    mode = {"auto": ModeSpec.auto, "classic": ModeSpec.classic, "dict": ModeSpec.try_dict,
            "int_mult": lambda: ModeSpec.try_int_mult(int(config.mode_value)),
            "float_mult": lambda: ModeSpec.try_float_mult(config.mode_value),
            "float_quant": lambda: ModeSpec.try_float_quant(int(config.mode_value))}
    delta = {"auto": DeltaSpec.auto, "none": DeltaSpec.no_op, "lookback": DeltaSpec.try_lookback,
             "consecutive": lambda: DeltaSpec.try_consecutive(config.delta_order),
             "conv1": lambda: DeltaSpec.try_conv1(config.delta_order)}
    return ChunkConfig(compression_level=config.level, mode_spec=mode[config.mode](),
                       delta_spec=delta[config.delta](), enable_8_bit=True)


def choices_of(file: bytes) -> list[tuple[str, str]]:
    return sorted({(c["mode"], c["delta"]) for c in numpact.inspect(file)["chunks"]})


def is_as_asked(found: list[tuple[str, str]], config: numpact.Config) -> bool:
    """Whether all chunks have the mode and delta of the config."""
    order = f"={config.delta_order}" if config.delta_order else ""
    return all(config.mode in ("auto", mode.split("=")[0].replace("-", "_"))
               and (config.delta == "auto" or delta == config.delta + order)
               for mode, delta in found)


def write_file(combo: Combo, writer: str) -> tuple[str, bytes]:
    """(who wrote it, file). Conv1 is always ours: pcodec 1.1.0 panics at some lengths."""
    if writer == "pcodec" and combo.config.delta != "conv1":
        files: list[bytes] = []
        config = reference_config(combo.config)
        problem = guarded(lambda: files.append(standalone.simple_compress(combo.numbers, config)))
        if not problem and is_as_asked(choices_of(files[0]), combo.config):
            return "pcodec", files[0]
    return "ours", numpact.compress(combo.numbers, combo.config)


def measure(combo: Combo, writer: str, rounds: int, seconds: float) -> Result:
    numbers = combo.numbers
    writer, file = write_file(combo, writer)
    found = choices_of(file)
    variables = numpact.inspect(file)["chunks"][0]["variables"]
    result = Result(combo.name, writer, ", ".join(" ".join(pair) for pair in found),
                    is_as_asked(found, combo.config), len(file), numbers.size,
                    [variable["bins"] for variable in variables])
    out = np.zeros_like(numbers)
    actions = {"ours": numpact.Decompressor(file, out).run,
               "pcodec": lambda: standalone.simple_decompress_into(file, out),
               "memcpy": lambda: np.copyto(out, numbers)}
    for name, action in actions.items():
        out.view(np.uint8).fill(0)
        problem = guarded(action) or ("" if same_bits(out, numbers) else "numbers differ")
        if problem:
            result.failures.append(f"{name}: {problem}")
    if not result.failures:
        result.seconds, _ = best_of_rounds(actions, rounds, seconds)
    return result


def all_combos(match: str, level: int, count: int) -> Iterator[Combo]:
    """The columns whose name matches, made one at a time."""
    for spec in combo_data.combo_specs():
        if re.search(match, combo_data.combo_name(*spec)):
            yield combo_data.make_combo(*spec, level, count)
    for type_name, kind in combo_data.special_specs():
        if re.search(match, combo_data.special_name(type_name, kind)):
            yield combo_data.make_special(type_name, kind, level, count)


def line(result: Result) -> str:
    start = (f"{result.name:32} {result.writer:7} {result.size * 8 / result.count:6.2f} "
             f"{'/'.join(map(str, result.bins)):>10}")
    if result.failures:
        return f"{start} FAILED: {'; '.join(result.failures)}"
    standing, mark = result.standing(), "" if result.as_asked else "  (NOT AS ASKED)"
    return (f"{start} {result.nanoseconds('ours'):7.3f} {result.nanoseconds('pcodec'):7.3f} "
            f"{standing.ratio:6.2f} {standing.memcpy:7.1%}  {result.choice}{mark}")


def group_lines(standings: list[Standing]) -> list[str]:
    """Geometric means of our speed / pcodec's for each part of the names."""
    lines = []
    for part, title in enumerate(("type", "mode", "delta")):
        groups: dict[str, list[float]] = {}
        for standing in standings:
            if not standing.name.startswith("special/"):
                groups.setdefault(standing.name.split("/")[part], []).append(standing.ratio)
        means = [f"{name} {geometric_mean(ratios):.2f}" for name, ratios in groups.items()]
        lines += [f"by {title}: {', '.join(means)}"] if means else []
    return lines


def summary(results: list[Result]) -> list[str]:
    timed = [result for result in results if result.seconds]
    standings = sorted((r.standing() for r in timed), key=lambda s: s.ratio)
    slow = sorted(timed, key=lambda r: -r.nanoseconds("ours"))[:SLOWEST]
    return ["bits: of the file, each number. bins: of the latent variables. ns: our nanoseconds a",
            "number, and pcodec's. ratio: our speed / pcodec's. memcpy: our speed / copying's.",
            *goal_lines("kinds of numbers", standings), *group_lines(standings),
            f"slowest against pcodec: {', '.join(s.text() for s in standings[:SLOWEST])}",
            "most nanoseconds a number: "
            + ", ".join(f"{r.name} {r.nanoseconds('ours'):.2f}" for r in slow)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("match", nargs="?", default="", metavar="REGEX",
                        help="only kinds whose name, like u8/int_mult/conv1=8, matches")
    parser.add_argument("--count", type=int, default=combo_data.COUNT, help="numbers of each kind")
    parser.add_argument("--level", type=int, default=8)
    parser.add_argument("--writer", choices=["pcodec", "ours"], default="pcodec",
                        help="who writes the files, where it can (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=7, help="at least this many for each kind")
    parser.add_argument("--seconds", type=float, default=0.3, help="rounds go on for so long")
    parser.add_argument("--threads", type=int, default=1, help="for our decoder")
    add_target(parser)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was measured")
    options = parser.parse_args()
    use_target(options.target)
    use_threads(options.threads)
    print(f"{'numbers':32} {'writer':7} {'bits':>6} {'bins':>10} {'ns':>7} {'pcodec':>7} "
          f"{'ratio':>6} {'memcpy':>7}  mode and delta")
    results = []
    for combo in all_combos(options.match, options.level, options.count):
        results.append(measure(combo, options.writer, options.rounds, options.seconds))
        print(line(results[-1]), flush=True)
    if not results:
        sys.exit("nothing matches")
    print("\n".join(summary(results)))
    if options.json:
        options.json.write_text(json.dumps([asdict(r) for r in results], indent=1) + "\n")
    failed = [result.name for result in results if result.failures]
    if failed:
        print(f"DECODING FAILED: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
