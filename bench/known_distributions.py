# SPDX-License-Identifier: Apache-2.0
"""Distributions to draw numbers from, each with its entropy: the bits that a number of independent
draws costs on average at least, however it is coded.

* For a distribution of whole numbers, and of other values that are few, it is the sum of
  -p log2 p over all values; terms beyond a share of 1e-18 are left out.
* A draw of a density f that is rounded to a float lands on the float x with probability
  f(x) ulp(x), where ulp(x) is the distance from x to its neighbour, 2^(e - m) in the binade
  [2^e, 2^(e+1)) with m stored bits of mantissa. So the entropy is that of the density, which is
  known in closed form, less the mean of log2 ulp(x); and that mean is m less than the sum over
  all binades of e times the share of the draws that lie there, which is a difference of the
  distribution function.

NumPy makes a normal number from fewer random bits than a float has places close to zero, so the
entropy of what it draws is very slightly below the one given here. No compressor can see that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

Draw = Callable[[np.random.Generator, int], np.ndarray]
TINY = 1e-18
MIN_BINADE = -120  # below it lie fewer than 1e-36 of the draws of any density here


@dataclass(frozen=True)
class Distribution:
    name: str
    entropy: float  # bits a number
    draw: Draw


def entropy(shares: Iterable[float]) -> float:
    """The entropy of probabilities, in bits."""
    return -math.fsum(p * math.log2(p) for p in shares if p > TINY)


def binary_entropy(p: float) -> float:
    return entropy([p, 1 - p])


def float_entropy(density_entropy: float, below: Callable[[float], float], mantissa: int,
                  max_binade: int = 12) -> float:
    """The entropy of a density that is rounded to floats with `mantissa` stored bits. `below`: the
    share of draws whose magnitude is below a number."""
    mean_exponent = math.fsum(e * (below(2.0 ** (e + 1)) - below(2.0**e))
                              for e in range(MIN_BINADE, max_binade))
    return density_entropy + mantissa - mean_exponent


def poisson_shares(mean: float) -> Iterator[float]:
    limit = int(mean + 60 * math.sqrt(mean) + 60)
    return (math.exp(k * math.log(mean) - mean - math.lgamma(k + 1)) for k in range(limit))


def laplace_shares(scale: float) -> Iterator[float]:
    """The entropy of a Laplace distribution that is rounded to whole numbers."""
    yield 1 - math.exp(-0.5 / scale)
    for k in range(1, int(60 * scale) + 2):
        share = (math.exp(-(k - 0.5) / scale) - math.exp(-(k + 0.5) / scale)) / 2
        yield share
        yield share


def zipf_shares(exponent: float, count: int) -> np.ndarray:
    weights = np.arange(1, count + 1, dtype=np.float64) ** -exponent
    return weights / weights.sum()


def whole_normal_shares(deviation: float) -> Iterator[float]:
    """The entropy of a normal distribution around zero that is rounded to whole numbers."""
    def below(x: float) -> float:
        return math.erfc(-x / deviation / math.sqrt(2)) / 2

    limit = int(10 * deviation) + 1
    return (below(k + 0.5) - below(k - 0.5) for k in range(-limit, limit + 1))


def normal_below(x: float) -> float:
    return math.erf(x / math.sqrt(2))


def exponential_below(x: float) -> float:
    return -math.expm1(-x)


def _zipf(rng: np.random.Generator, n: int) -> np.ndarray:
    edges = np.cumsum(zipf_shares(1.2, 100_000))
    return np.searchsorted(edges[:-1], rng.random(n), side="right").astype(np.uint32)


def _uniform(count: int, dtype: type, first: int = 0) -> Distribution:
    def draw(rng: np.random.Generator, n: int) -> np.ndarray:
        return rng.integers(first, first + count, n, dtype=dtype)

    return Distribution(f"uniform of {count:,}", math.log2(count), draw)


NORMAL = 0.5 * math.log2(2 * math.pi * math.e)

DISTRIBUTIONS = [
    Distribution("normal f64", float_entropy(NORMAL, normal_below, 52),
                 lambda rng, n: rng.standard_normal(n)),
    Distribution("normal f32", float_entropy(NORMAL, normal_below, 23),
                 lambda rng, n: rng.standard_normal(n).astype(np.float32)),
    Distribution("exponential f64", float_entropy(math.log2(math.e), exponential_below, 52),
                 lambda rng, n: rng.exponential(size=n)),
    Distribution("uniform f64, k / 2^53", 53.0, lambda rng, n: rng.random(n)),
    Distribution("uniform f64, k / 1,000", math.log2(1000),
                 lambda rng, n: rng.integers(0, 1000, n) / 1000),
    Distribution("normal of 100, rounded", entropy(whole_normal_shares(100)),
                 lambda rng, n: np.rint(100 * rng.standard_normal(n)).astype(np.int32)),
    Distribution("Laplace of 10, rounded", entropy(laplace_shares(10)),
                 lambda rng, n: np.rint(rng.laplace(scale=10, size=n)).astype(np.int32)),
    Distribution("Poisson of 3", entropy(poisson_shares(3)),
                 lambda rng, n: rng.poisson(3, n).astype(np.uint16)),
    Distribution("Poisson of 1,000", entropy(poisson_shares(1000)),
                 lambda rng, n: rng.poisson(1000, n).astype(np.int64)),
    Distribution("geometric of 1/10", binary_entropy(0.1) / 0.1,
                 lambda rng, n: rng.geometric(0.1, n).astype(np.uint16)),
    Distribution("geometric of 1/1,000", binary_entropy(0.001) / 0.001,
                 lambda rng, n: rng.geometric(0.001, n).astype(np.int64)),
    Distribution("Zipf of 1.2 among 100,000", entropy(zipf_shares(1.2, 100_000).tolist()), _zipf),
    Distribution("coin of 1/100", binary_entropy(0.01),
                 lambda rng, n: (rng.random(n) < 0.01).astype(np.uint8)),
    _uniform(3, np.uint8),
    _uniform(7, np.uint8),
    _uniform(100, np.uint16),
    _uniform(1009, np.int32, -500),
    _uniform(1_000_003, np.uint32),
    _uniform(2**40 + 15, np.int64, -(2**39)),
]
