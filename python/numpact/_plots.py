# SPDX-License-Identifier: Apache-2.0
"""Pictures by matplotlib: the bins of a chunk, and what compressions of vectors lose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from ._errors import InvalidArgumentError
from ._optional import require

# Objects of numpact._inspect and numpact.cvc, which call this module and cannot be imported by it.
ChunkInfo: TypeAlias = Any
LatentVariableInfo: TypeAlias = Any
BinInfo: TypeAlias = Any
Quality: TypeAlias = Any

# Beyond this ratio of densities their axis is logarithmic.
_MAX_LINEAR_DENSITIES = 50
# Bins that are narrower than this share of the axis cannot be told apart. If most latents are in
# such bins, the axis of numbers is logarithmic in the distance from 0.
_MIN_SEEN_WIDTH = 1 / 500


class _Scale:
    """The numbers that the latents of a variable stand for: those of the user where there are such,
    else differences, remainders, steps or distances.
    """

    def __init__(self, chunk: ChunkInfo, variable: LatentVariableInfo) -> None:
        self._chunk, self._bits = chunk, variable.latent_bits
        self._half = 1 << (variable.latent_bits - 1)
        self._top = 1 << (int(chunk.type[1:]) - 1)  # of latents of numbers
        self._mode, _, text = chunk.mode.partition("=")
        is_float = chunk.type.startswith("f")
        self._multiple = float(text or 1) if self._mode == "float-mult" else int(text or 1)
        steps = ", in steps between neighbouring floats"
        self.is_dict = False
        self._number: Callable[[int], float] = float
        if variable.variable == "delta":
            self.title = "distance to the earlier number that it resembles, in numbers"
        elif variable.variable == "secondary":
            self.title = {
                "int-mult": f"remainder after the multiple of {text}",
                "float-mult": f"correction of the multiple of {text}{steps}",
                "float-quant": f"lowest {text} bits of the float",
            }.get(self._mode, "secondary latent")
            if self._mode == "float-mult" or variable.delta_encoded:
                self._multiple, self._number = 1, self._difference
        elif variable.delta_encoded:
            self.title, self._number = f"difference, delta {chunk.delta}", self._difference
            if self._mode == "float-quant":
                self._multiple = 1 << int(text)
            if is_float and self._mode != "float-mult":
                self.title += steps
        elif self._mode == "dict":
            self.title, self.is_dict = "numbers of the dictionary, in its order", True
        else:
            self.title = "number"
            if self._mode == "float-mult":
                self._number = self._float_of_multiple
            else:
                self._number = self._float_of_ordered if is_float else self._integer

    def range_of(self, bin: BinInfo) -> tuple[float, float] | None:
        """The numbers of a bin, the end excluded; None for NaN and infinities."""
        low = self._number(bin.lower)
        high = self._number(min(bin.lower + (1 << bin.offset_bits), (1 << self._bits) - 1))
        if not np.isfinite(low):
            return None
        # A bin may extend from finite numbers into the infinite ones.
        high = high if np.isfinite(high) else float(np.finfo(np.float64).max)
        return (high, low) if high < low else (low, high)

    def entry(self, place: float) -> str:
        """A number of the dictionary."""
        entries, index = self._chunk.dict, round(place)
        if index != place or not 0 <= index < len(entries):
            return ""
        is_float = self._chunk.type.startswith("f")
        number = self._float(entries[index]) if is_float else self._integer(entries[index])
        return f"{number:g}"

    def _difference(self, latent: int) -> float:
        return float((latent - self._half) * self._multiple)

    def _integer(self, latent: int) -> float:
        return float(latent * self._multiple - (self._top if self._chunk.type[0] == "i" else 0))

    def _float_of_ordered(self, latent: int) -> float:
        shift = int(self._multiple) if self._mode == "float-quant" else 0
        return self._float(min(latent << shift, (1 << self._bits) - 1))

    def _float(self, ordered: int) -> float:
        bits = ordered ^ self._top if ordered & self._top else ~ordered & (2 * self._top - 1)
        return self._of_bits(bits)

    def _of_bits(self, bits: int) -> float:
        size = int(self._chunk.type[1:])
        return float(np.array(bits, f"u{size // 8}").view(f"f{size // 8}"))

    def _float_of_multiple(self, latent: int) -> float:
        """docs/format/pco.md, FloatMult."""
        count = latent - self._half if latent >= self._half else self._half - 1 - latent
        mantissa = {"f16": 10, "f32": 23, "f64": 52}[self._chunk.type]
        exact = 1 << (mantissa + 1)
        multiple = float(count)
        if count >= exact:
            bias = (1 << (self._bits - 2 - mantissa)) - 1
            multiple = self._of_bits(((bias + mantissa + 1) << mantissa) + count - exact)
        return (multiple if latent >= self._half else -multiple) * self._multiple


def plot_bins(chunk: ChunkInfo, title: str, dtype: Any) -> Any:
    """A figure with a panel for each latent variable: ``FileInfo.plot``."""
    figure = require("matplotlib.figure", "plot").Figure(
        figsize=(9.6, 0.6 + 3.3 * len(chunk.variables)), layout="constrained"
    )
    figure.suptitle(
        f"{title}\nmode {chunk.mode}, delta {chunk.delta}: {chunk.count:,} {chunk.type} numbers of "
        f"{chunk.bits_per_number:.3f} bits"
    )
    panels = figure.subplots(len(chunk.variables), squeeze=False)[:, 0]
    for axes, variable in zip(panels, chunk.variables, strict=True):
        _draw_variable(axes, chunk, variable, dtype)
    return figure


def _draw_variable(axes: Any, chunk: ChunkInfo, variable: LatentVariableInfo, dtype: Any) -> None:
    scale = _Scale(chunk, variable)
    boxes, hidden = [], 0.0
    # Large boxes first, since bins may overlap.
    for bin in sorted(variable.bins, key=lambda bin: -bin.offset_bits):
        share, found = bin.weight / (1 << variable.ans_size_log), scale.range_of(bin)
        if found is None:
            hidden += share
        else:
            boxes.append((*found, share, bin.offset_bits))
    stored = max(1, variable.stored)
    axes.set_title(
        f"{variable.variable}: {len(variable.bins)} bins; {variable.stored:,} latents: codes "
        f"{variable.code_bits / stored:.3f} bits, offsets {variable.offset_bits / stored:.3f}"
        + (f"; not drawn: NaN and infinities, {hidden:.3%}" if hidden else ""),
        fontsize="medium",
    )
    axes.set(xlabel=scale.title, ylabel="share for each value")
    if not boxes:
        return
    lows, highs, shares, bits = map(np.array, zip(*boxes, strict=True))
    densities = shares / 2.0**bits
    colours = require("matplotlib", "plot").colormaps["turbo"](bits / max(1, bits.max()))
    axes.bar(lows, densities, highs - lows, align="edge", color=colours, edgecolor=colours)
    if densities.max() > _MAX_LINEAR_DENSITIES * densities.min():
        axes.set_yscale("log")
    seen = highs - lows >= _MIN_SEEN_WIDTH * (highs.max() - lows.min())
    if shares[seen].sum() < shares.sum() / 2 and len(boxes) > 1 and not scale.is_dict:
        largest = max(np.abs(lows).max(), np.abs(highs).max())
        axes.set_xscale("symlog", linthresh=max((highs - lows).min(), largest * 1e-30))
    if scale.is_dict:
        axes.xaxis.set_major_formatter(lambda number, _: scale.entry(number))
    elif dtype is not None and scale.title == "number":
        axes.xaxis.set_major_formatter(
            lambda number, _: str(np.int64(np.clip(number, -(2**62), 2**62)).astype(dtype))
        )


def plot_quality(quality: Quality) -> Any:
    """A figure of loss against size: ``Quality.plot``."""
    rows = [row for row in quality.compressions if row.recall is not None]
    if not rows:
        raise InvalidArgumentError("without a search there is no recall to plot")
    figure = require("matplotlib.figure", "plot").Figure(figsize=(8.6, 5.4), layout="constrained")
    axes = figure.subplots()
    losses = [1 - row.recall.mean for row in rows if row.recall is not None]
    least = min((loss for loss in losses if loss > 0), default=0.1)
    for index, (row, loss) in enumerate(zip(rows, losses, strict=True)):
        assert row.recall is not None
        at = row.bytes_per_vector, loss
        ends = np.maximum(0, [[loss - 1 + row.recall.high], [1 - row.recall.low - loss]])
        colour = axes.errorbar(*at, yerr=ends, fmt="o", capsize=4)[0].get_color()
        offset = (6, -10 if index % 2 else 4)  # neighbours in size follow each other
        axes.annotate(row.compression, at, offset, textcoords="offset points", color=colour)
    axes.set_yscale("symlog", linthresh=least / 2)  # a loss of 0 has a place, too
    axes.set(
        xlabel="size (bytes per vector)",
        ylabel=f"lost of the {quality.k} nearest (1 - recall@{quality.k}, share)",
        title=f"{quality.vectors:,} vectors of {quality.dimension} values: nearest by "
        f"{quality.metric} among {quality.sample:,} rows, {quality.queries:,} queries",
    )
    axes.set_xlim(left=0)
    axes.grid(visible=True, alpha=0.3)
    return figure
