#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How near the files of independent draws come to the entropy of their distribution.

Where nothing is to be learnt from neighbours, no lossless code takes fewer bits a number than the
entropy of the distribution, and bins with tANS should come close: within 0.05 bits, all metadata
counted. bench/known_distributions.py computes the entropies. Every file is read back by
numpact and by pcodec. Exits with 1 if one is not.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpact_ctypes as numpact
import numpy as np
from known_distributions import DISTRIBUTIONS, Distribution
from measure import same_bits
from peer_codecs import Codec, Ours, Pcodec, Setting
from reference_cache import ReferenceCache
from report import markdown_table, plain_table

GOAL = 0.05  # bits a number above the entropy


@dataclass
class Bound:
    """Outcome for one distribution: bits a number, by codec and level, as in "ours 8"."""

    name: str
    type: str
    count: int
    entropy: float
    bits: dict[str, float] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def excess(self, codec: str) -> float:
        return self.bits[codec] - self.entropy

    def is_near(self, codec: str) -> bool:
        return self.excess(codec) <= GOAL


def draws(distribution: Distribution, count: int, seed: int) -> np.ndarray:
    """Always the same ones for a seed."""
    rng = np.random.default_rng([seed, *distribution.name.encode()])
    return np.ascontiguousarray(distribution.draw(rng, count))


def reads_back(reader: Codec, file: bytes, numbers: np.ndarray) -> bool:
    out = np.zeros_like(numbers)
    result = reader.reader(file, out)()
    return same_bits(reader.numbers(result, out), numbers)


def measure(distribution: Distribution, levels: list[int], count: int, seed: int) -> Bound:
    numbers = draws(distribution, count, seed)
    cache = ReferenceCache().of(numbers)
    bound = Bound(distribution.name, numpact.TYPE_NAMES[numbers.dtype], count,
                  distribution.entropy)
    for level in levels:
        codecs: list[Codec] = [Ours(Setting(level)), Pcodec(Setting(level))]
        for codec in codecs:
            make = codec.writer(numbers)[1]
            file = cache.file(codec.cache_key, make) if codec.cache_key else make()
            bound.bits[f"{codec.name} {level}"] = 8 * len(file) / count
            bound.failures += [f"{codec.name} {level} -> {reader.name}" for reader in codecs
                               if not reads_back(reader, file, numbers)]
    return bound


def titles(levels: list[int]) -> list[str]:
    codecs = [f"{codec} {level}" for level in levels for codec in ("ours", "pcodec")]
    return ["distribution", "type", "entropy"] + [t for codec in codecs for t in (codec, "above")]


def row(bound: Bound) -> list[str]:
    cells = [bound.name, bound.type, f"{bound.entropy:.4f}"]
    for codec, bits in bound.bits.items():
        mark = "" if bound.is_near(codec) else " *"
        cells += [f"{bits:.4f}", f"{bound.excess(codec):+.4f}{mark}"]
    return cells


def summary(bounds: list[Bound]) -> list[str]:
    lines = []
    for codec in bounds[0].bits:
        far = [bound.name for bound in bounds if not bound.is_near(codec)]
        lines.append(f"{codec}: within {GOAL} bits of the entropy {len(bounds) - len(far)} of "
                     f"{len(bounds)}" + (f"; not: {', '.join(far)}" if far else ""))
    return lines


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pattern", nargs="?", default="", metavar="REGEX",
                        help="only distributions whose name matches")
    parser.add_argument("--count", type=int, default=1 << 20, help="draws (default: %(default)s)")
    parser.add_argument("--levels", default="8,12", metavar="A,B",
                        help="for numpact and pcodec (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was measured")
    parser.add_argument("--markdown", action="store_true", help="print the table for the docs")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    levels = [int(word) for word in arguments.levels.split(",")]
    chosen = [d for d in DISTRIBUTIONS if re.search(arguments.pattern, d.name)]
    if not chosen:
        sys.exit(f"no distribution matches {arguments.pattern!r}")
    bounds = [measure(d, levels, arguments.count, arguments.seed) for d in chosen]
    rows = [row(bound) for bound in bounds]
    table = markdown_table if arguments.markdown else plain_table
    print("\n".join(table(titles(levels), rows)))
    print(f"\nbits a number of {arguments.count:,} draws, all bytes of the file; above: less the "
          f"entropy, * over {GOAL}")
    print("\n".join(summary(bounds)))
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(bound) for bound in bounds], indent=1) + "\n")
    failures = [f"{bound.name}: {what}" for bound in bounds for what in bound.failures]
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
