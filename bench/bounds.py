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
from report import plain_table

GOAL = 0.05  # bits a number above the entropy


@dataclass
class Bound:
    """Outcome for one distribution: bits a number, by codec and level, as in "ours 8"."""

    name: str
    type: str
    entropy: float
    bits: dict[str, float] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def is_near(self, codec: str) -> bool:
        return self.bits[codec] - self.entropy <= GOAL

    def row(self) -> list[str]:
        cells = [self.name, self.type, f"{self.entropy:.4f}"]
        for codec, bits in self.bits.items():
            mark = "" if self.is_near(codec) else " *"
            cells += [f"{bits:.4f}", f"{bits - self.entropy:+.4f}{mark}"]
        return cells


def draws(distribution: Distribution, count: int, seed: int) -> np.ndarray:
    """Always the same ones for a seed."""
    rng = np.random.default_rng([seed, *distribution.name.encode()])
    return np.ascontiguousarray(distribution.draw(rng, count))


def measure(distribution: Distribution, levels: list[int], count: int, seed: int) -> Bound:
    numbers = draws(distribution, count, seed)
    cache, out = ReferenceCache().of(numbers), np.zeros_like(numbers)
    bound = Bound(distribution.name, numpact.TYPE_NAMES[numbers.dtype], distribution.entropy)
    for level in levels:
        codecs: list[Codec] = [Ours(Setting(level)), Pcodec(Setting(level))]
        for codec in codecs:
            make = codec.writer(numbers)[1]
            file = cache.file(codec.cache_key, make) if codec.cache_key else make()
            bound.bits[f"{codec.name} {level}"] = 8 * len(file) / count
            for reader in codecs:
                out.view(np.uint8).fill(0)
                reader.reader(file, out)()
                if not same_bits(out, numbers):
                    bound.failures.append(f"{codec.name} {level} -> {reader.name}")
    return bound


def summary(bounds: list[Bound]) -> list[str]:
    lines = []
    for codec in bounds[0].bits:
        far = [bound.name for bound in bounds if not bound.is_near(codec)]
        lines.append(f"{codec}: within {GOAL} bits of the entropy {len(bounds) - len(far)} of "
                     f"{len(bounds)}" + (f"; not: {', '.join(far)}" if far else ""))
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pattern", nargs="?", default="", metavar="REGEX",
                        help="only distributions whose name matches")
    parser.add_argument("--count", type=int, default=1 << 20, help="draws (default: %(default)s)")
    parser.add_argument("--levels", default="8,12", metavar="A,B",
                        help="for numpact and pcodec (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was measured")
    options = parser.parse_args()
    levels = [int(word) for word in options.levels.split(",")]
    bounds = [measure(d, levels, options.count, options.seed) for d in DISTRIBUTIONS
              if re.search(options.pattern, d.name)]
    if not bounds:
        sys.exit(f"no distribution matches {options.pattern!r}")
    titles = ["distribution", "type", "entropy"]
    titles += [title for codec in bounds[0].bits for title in (codec, "above")]
    print("\n".join(plain_table(titles, [bound.row() for bound in bounds])))
    print(f"\nbits a number of {options.count:,} draws, all bytes of the file; above: less the "
          f"entropy, * over {GOAL}")
    print("\n".join(summary(bounds)))
    if options.json:
        options.json.write_text(json.dumps([asdict(bound) for bound in bounds], indent=1) + "\n")
    failures = [f"{bound.name}: {what}" for bound in bounds for what in bound.failures]
    for failure in failures:
        print(f"FAILED {failure}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
