# SPDX-License-Identifier: Apache-2.0
"""Explains the compressed size of numbers."""

from __future__ import annotations

from typing import Any

from . import _core
from . import _views as views
from ._arrays import numbers_of
from ._inspect import ChunkInfo, FileInfo, file_info
from ._progress import ProgressLike, core_progress
from ._specs import (
    DEFAULT_LEVEL,
    DEFAULT_PAGING,
    Delta,
    Mode,
    Paging,
    core_compat,
    core_options,
    core_weight,
)

# The words of the command for the parts of a file.
_PARTS = {
    "codes": "codes: which bin each latent is in",
    "offsets": "offsets: where in the bin",
    "bins": "bins: their list",
    "choices": "modes, deltas, dictionaries",
    "delta_states": "states of the deltas",
    "ans_states": "states of the codes",
    "framing": "headers of file and chunks",
    "padding": "padding",
}
# More chunks are shown as a list.
_MAX_DETAILED_CHUNKS = 3


class Explanation(views.Report, dict[str, Any]):
    """The result of ``numpact.explain``: a dictionary that prints as a report.

    Notebooks show the report as tables.
    """

    def _view(self) -> views.View:
        info: FileInfo = self["file"]
        facts = [
            ("numbers", f"{info.count:,} {info.type or 'of no type'}, {info.raw_bytes:,} bytes"),
            (
                "packed",
                f"{info.file_bytes:,} bytes, {info.bits_per_number:.3f} bits a number, "
                f"ratio {info.ratio:.3f}, {views.count_text(info.chunk_count, 'chunk')}",
            ),
        ]
        if info.count:
            bound = self["entropy"]
            facts.append(
                (
                    "entropy",
                    f"{bound['bits']:.3f} bits a number, {bound['distinct']:,} different ones",
                )
            )
        tables = [_parts_table(self["parts"], info.count)]
        if len(self["chunks"]) > _MAX_DETAILED_CHUNKS:
            tables.append(_chunks_table(self["chunks"], info.chunk_count))
        else:
            for index, (chunk, own) in enumerate(zip(self["chunks"], info.chunks, strict=True)):
                tables += [_candidates_table(index, chunk), _latents_table(index, chunk, own)]
        return views.View("what the bytes of the file are used for", facts, tables)


def _parts_table(parts: dict[str, int], count: int) -> views.Table:
    total = sum(parts.values())
    rows = [(name, parts[key]) for key, name in _PARTS.items()] + [("all", total)]
    return views.Table(
        "",
        ["what the bytes are", ">bytes", ">share", ">bits a number"],
        [
            [
                name,
                f"{bits / 8:,.1f}" if bits % 8 else f"{bits // 8:,}",
                f"{100 * bits / total:.2f} %" if total else "-",
                f"{bits / count:.3f}" if count else "-",
            ]
            for name, bits in rows
        ],
        len(rows),
    )


def _chunks_table(chunks: list[dict[str, Any]], total: int) -> views.Table:
    return views.Table(
        "chunks",
        [">chunk", ">numbers", "mode", "delta", ">bytes", ">entropy, bits"],
        [
            [
                str(index),
                f"{chunk['count']:,}",
                chunk["mode"],
                chunk["delta"],
                f"{chunk['bytes']:,}",
                f"{chunk['entropy']['bits']:.3f}",
            ]
            for index, chunk in enumerate(chunks[: views.MAX_SHOWN_ROWS])
        ],
        total,
    )


def _candidates_table(index: int, chunk: dict[str, Any]) -> views.Table:
    def rank(candidate: dict[str, Any]) -> tuple[bool, float]:
        bits = candidate["estimated_bits"]
        return not candidate["chosen"], float("inf") if bits is None else bits

    def estimate_texts(candidate: dict[str, Any]) -> list[str]:
        if candidate["estimated_bits"] is None:
            return ["-", "-"]
        return [f"{candidate[key]:.3f}" for key in ("estimated_bits", "error_bits")]

    candidates = sorted(chunk["candidates"], key=rank)
    rows = [
        [
            candidate["mode"],
            candidate["delta"],
            *estimate_texts(candidate),
            "-" if candidate["bytes"] is None else f"{candidate['bytes']:,}",
            candidate["outcome"],
        ]
        for candidate in candidates
    ]
    fallback = ", none smaller than one bin over all numbers" if chunk["fallback"] else ""
    return views.Table(
        f"chunk {index}, {chunk['count']:,} numbers, {chunk['bytes']:,} bytes: "
        f"what was tried (estimates are made on a sample){fallback}",
        ["mode", "delta", ">estimated bits", ">error", ">bytes", ""],
        rows,
        len(rows),
    )


def _latents_table(index: int, chunk: dict[str, Any], info: ChunkInfo) -> views.Table:
    rows = []
    for variable in info.variables:
        bound = chunk["latents"][variable.variable]
        stored = variable.stored
        rows.append(
            [
                variable.variable,
                f"{stored:,}",
                f"{bound['distinct']:,}",
                f"{bound['bits']:.3f}",
                f"{variable.code_bits / stored:.3f}" if stored else "-",
                f"{variable.offset_bits / stored:.3f}" if stored else "-",
                f"{len(variable.bins):,}",
            ]
        )
    return views.Table(
        f"chunk {index}: what is stored (entropy, codes and offsets in bits a latent)",
        ["variable", ">latents", ">different", ">entropy", ">codes", ">offsets", ">bins"],
        rows,
        len(rows),
    )


def explain(
    x: object,
    level: int = DEFAULT_LEVEL,
    mode: Mode = "auto",
    delta: Delta = "auto",
    paging: Paging = DEFAULT_PAGING,
    *,
    compat: str = "4.1",
    favor_decode_speed: bool = False,
    decode_weight: float = 0,
    progress: ProgressLike = None,
) -> Explanation:
    """Compresses numbers and describes what the bytes of the file are used for.

    Args:
        x, level, mode, delta, paging, compat, favor_decode_speed,
            decode_weight, progress: As for ``compress``.
            It uses one thread, and discards the file.

    Returns:
        A dictionary, which prints as a report (notebooks show tables):

        * ``file``: the description of the file by ``inspect``, a ``FileInfo``.
        * ``parts``: the number of bits for each purpose: ``framing`` (headers of file and chunks),
          ``choices`` (modes, deltas, dictionaries), ``bins``, ``delta_states``, ``ans_states``,
          ``codes`` (the bin of each latent), ``offsets`` (the position in the bin), ``padding``.
          The sum is 8 times the size in bytes.
        * ``entropy``: the order-0 entropy of the numbers: ``bits`` for each number, and the count
          of ``distinct`` numbers.
        * ``chunks``: for each chunk a dictionary of ``count``, ``bytes``, ``mode``, ``delta``,
          ``parts``, ``entropy``; ``latents``: the entropy of each latent variable, by its name;
          ``candidates``: the encodings that were considered, each with ``mode``, ``delta``,
          ``estimated_bits`` for each number (None without an estimate) and their ``error_bits``,
          ``bytes`` (None if it was not encoded completely), whether it was ``chosen``, and the
          ``outcome``: "taken", "larger", "far" (beyond the errors), "near", "not repetitive" or
          "decodes slowly"; ``fallback``: true if no candidate was smaller than a single bin for
          all numbers, which was used then.
        * ``runs``: for each run of numbers a dictionary of the estimates of one chunk
          (``single_bits``) and of segments (``segment_bits``, None without an estimate), their
          errors and count, and the outcome of ``segments``.

    Raises:
        The errors of ``compress``.

    >>> import numpact
    >>> why = numpact.explain([k % 8 for k in range(4096)])
    >>> why["entropy"]["bits"], why["entropy"]["distinct"]
    (3.0, 8)
    >>> sum(why["parts"].values()) == 8 * why["file"].file_bytes
    True
    """
    numbers = numbers_of(x)
    with core_progress(progress, numbers.size) as callback:
        raw = _core.explain(
            numbers,
            **core_options(level, mode, delta, paging),
            progress=callback,
            compat=core_compat(compat),
            decode_weight=core_weight(decode_weight, favor_decode_speed),
        )
    raw["file"] = file_info(raw["file"])
    return Explanation(raw)
