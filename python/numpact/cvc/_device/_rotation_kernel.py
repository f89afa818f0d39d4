# SPDX-License-Identifier: Apache-2.0
"""The decoder of rot1 to rot4 in Triton: a program decodes whole rows, to the bits of
src/cvc/compression/rotation_kernel.cpp."""

from __future__ import annotations

import triton  # pyright: ignore[reportMissingImports]
import triton.language as tl  # pyright: ignore[reportMissingImports]

from ._kernels import (
    APART,
    DENSE,
    FIELDS,
    FIRST_BLOCK,
    OUT,
    PLACES,
    PTX,
    VALUES,
    _as_type,
    _is_nan,
    _product,
    _sum,
)

NAN = tl.constexpr(0x7FC00000)


@triton.jit
def _difference(a, b, ARITHMETIC: tl.constexpr):
    if ARITHMETIC == PTX:
        result = tl.inline_asm_elementwise(
            "sub.rn.f32 $0, $1, $2;", "=f,f,f", [a, b], dtype=tl.float32, is_pure=True, pack=1
        )
    else:
        result = a - b
    return result


@triton.jit
def _transformed(
    x, factor, ROWS: tl.constexpr, PART: tl.constexpr, STEPS: tl.constexpr, ARITHMETIC: tl.constexpr
):
    """The transform of ROWS times PART values, times a factor.

    A step combines values PART / 2 apart, and puts sum and difference side by side: the next one
    finds half as distant values at the same places, and after all steps the order is the old one.
    """
    x = tl.reshape(x, (ROWS, PART))
    for _ in tl.static_range(STEPS):
        a, b = tl.split(tl.permute(tl.reshape(x, (ROWS, 2, PART // 2)), (0, 2, 1)))
        x = tl.join(_sum(a, b, ARITHMETIC), _difference(a, b, ARITHMETIC))
        x = tl.reshape(x, (ROWS, PART))
    return _product(x, factor, ARITHMETIC)


@triton.jit
def _of_part(
    x,
    column,
    factor,
    ROWS: tl.constexpr,
    PART: tl.constexpr,
    SIZE: tl.constexpr,
    STEPS: tl.constexpr,
    ARITHMETIC: tl.constexpr,
):
    """Rows of which the first PART values are transformed."""
    y = _transformed(x, factor, ROWS * (SIZE // PART), PART, STEPS, ARITHMETIC)
    return tl.where(column < PART, tl.reshape(y, (ROWS, SIZE)), x)


@triton.jit
def _of_last_part(
    x,
    at,
    column,
    inside,
    last,
    factor,
    ROWS: tl.constexpr,
    PART: tl.constexpr,
    STEPS: tl.constexpr,
    ARITHMETIC: tl.constexpr,
):
    """Rows of which the PART values from ``last`` on are transformed, by way of memory ``at``."""
    tl.debug_barrier()  # an earlier block of rows may still be read
    tl.store(at + column, x, mask=inside)
    tl.debug_barrier()
    to = at + last + tl.arange(0, PART)[None, :]
    y = _transformed(tl.load(to), factor, ROWS, PART, STEPS, ARITHMETIC)
    tl.debug_barrier()
    tl.store(to, y)
    tl.debug_barrier()
    return tl.load(at + column, mask=inside, other=0)


@triton.jit
def _with_signs(x, signs, column, inside):
    """Rows with the signs flipped whose bits are set."""
    byte = tl.load(signs + (column >> 3), mask=inside, other=0).to(tl.uint32)
    sign = ((byte >> (column & 7).to(tl.uint32)) & 1) << 31
    return (x.to(tl.uint32, bitcast=True) ^ sign).to(tl.float32, bitcast=True)


@triton.jit
def _scales(at, inside):
    """The float32 that begins at each of some addresses of bytes; NaN if it is not finite."""
    bits = tl.load(at, mask=inside, other=0).to(tl.uint32)
    for k in tl.static_range(1, 4):
        bits = bits | (tl.load(at + k, mask=inside, other=0).to(tl.uint32) << (8 * k))
    bits = tl.where((bits & 0x7F800000) == 0x7F800000, NAN, bits)
    return bits.to(tl.uint32).to(tl.float32, bitcast=True)


@triton.jit
def _codes(at, column, inside, BITS: tl.constexpr):
    bit = column * BITS
    code = tl.load(at + (bit >> 3), mask=inside, other=0).to(tl.int32)
    if BITS == 3:
        is_cut = inside & ((bit & 7) > 5)
        code = code | (tl.load(at + 1 + (bit >> 3), mask=is_cut, other=0).to(tl.int32) << 8)
    return (code >> (bit & 7)) & ((1 << BITS) - 1)


@triton.jit
def decode(
    out,
    source,
    words,
    numbers,
    table,
    tasks,
    dimension,
    stride,
    factor,
    blocks,
    scratch,
    BITS: tl.constexpr,
    TYPE: tl.constexpr,
    LAYOUT: tl.constexpr,
    ROWS: tl.constexpr,
    PART: tl.constexpr,
    SIZE: tl.constexpr,
    STEPS: tl.constexpr,
    ARITHMETIC: tl.constexpr,
):
    """Decodes ROWS rows of one of many tasks, whose places are those of codes with scales, of the
    mean, of signs and of levels. The parameters are those of ``_kernels.decode``, and

    Args:
        factor: float32(1 / sqrt(PART)).
        blocks: How many blocks of rows there are; programs take them in turns.
        scratch: float32, ROWS times SIZE for each program, unless SIZE is PART.
        BITS: Of a code.
        PART: 2 to the power of STEPS, the values that a round transforms.
        SIZE: PART, or twice as many: not less than the dimension.
    """
    for block in range(tl.program_id(0), blocks, tl.num_programs(0)):
        task = table + tl.load(tasks + block) * FIELDS
        first = (block - tl.load(task + FIRST_BLOCK).to(tl.int32)) * ROWS
        row = (first + tl.arange(0, ROWS)).to(tl.int64)[:, None]
        column = tl.arange(0, SIZE)[None, :]
        is_row = row * dimension < tl.load(task + VALUES)
        is_column = column < dimension
        inside = is_row & is_column

        at = source + tl.load(task + PLACES) * 16 + row * (4 + (dimension * BITS + 7) // 8)
        code = _codes(at + 4, column, inside, BITS)
        level = tl.load(words + tl.load(task + PLACES + 3) * 4 + code, mask=inside, other=0)
        x = _product(level.to(tl.float32, bitcast=True), _scales(at, is_row), ARITHMETIC)

        signs = source + tl.load(task + PLACES + 2) * 16
        sign_bytes = (dimension + 63) // 64 * 8
        x = _of_part(x, column, factor, ROWS, PART, SIZE, STEPS, ARITHMETIC)
        x = _with_signs(x, signs + 2 * sign_bytes, column, is_column)
        if SIZE > PART:
            own = scratch + (tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]) * SIZE
            last = dimension - PART
            x = _of_last_part(
                x, own, column, is_column, last, factor, ROWS, PART, STEPS, ARITHMETIC
            )
        else:
            x = _of_part(x, column, factor, ROWS, PART, SIZE, STEPS, ARITHMETIC)
        x = _with_signs(x, signs + sign_bytes, column, is_column)
        x = _of_part(x, column, factor, ROWS, PART, SIZE, STEPS, ARITHMETIC)
        x = _with_signs(x, signs, column, is_column)

        mean = tl.load(words + tl.load(task + PLACES + 1) * 4 + column, mask=is_column, other=0)
        x = _sum(x, mean.to(tl.float32, bitcast=True), ARITHMETIC)
        bits = x.to(tl.uint32, bitcast=True)
        bits = tl.where(_is_nan(bits), NAN, bits).to(tl.uint32)

        if LAYOUT == DENSE:
            place = tl.load(task + OUT) + row * dimension + column
        elif LAYOUT == APART:
            place = (tl.load(task + OUT) + row) * stride + column
        else:
            place = tl.load(numbers + tl.load(task + OUT) + row, mask=is_row, other=0)
            place = place * stride + column
        tl.store(out + place, _as_type(bits, TYPE), mask=inside)
