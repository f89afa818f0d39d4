# SPDX-License-Identifier: Apache-2.0
"""The decoders of all compressions, in Triton. Results are the bits that the CPU gives.

Values are made by integer operations wherever floats would lose the payload of a NaN, and NaNs of
arithmetic are made by hand: GPUs have one of their own.
"""

from __future__ import annotations

import triton  # pyright: ignore[reportMissingImports]
import triton.language as tl  # pyright: ignore[reportMissingImports]

# ---- parameters of a launch ----

COPY = tl.constexpr(0)  # of values that are in the output's type
FLOAT32 = tl.constexpr(1)
FLOAT16 = tl.constexpr(2)
BFLOAT16 = tl.constexpr(3)
INT8 = tl.constexpr(4)
INT8_ROW = tl.constexpr(5)
INT8_DIM = tl.constexpr(6)
INT4 = tl.constexpr(7)
LOSSLESS = tl.constexpr(8)

DENSE = tl.constexpr(0)  # rows of the output lie side by side
APART = tl.constexpr(1)
MAPPED = tl.constexpr(2)  # a table says where each goes

PLAIN = tl.constexpr(0)  # arithmetic as the interpreter does it
PTX = tl.constexpr(1)

# ---- the table of tasks: rows of int64; places are in units of 16 bytes ----

FIELDS = tl.constexpr(16)
FIRST_BLOCK = tl.constexpr(0)
VALUES = tl.constexpr(1)  # how many, in units of UNIT
OUT = tl.constexpr(
    2
)  # DENSE: values before, in units of UNIT; APART: rows; MAPPED: place in the map
LEAD = tl.constexpr(3)  # lossless: values in the planes before the first
PLACES = tl.constexpr(4)  # codes, minima, scales; lossless: planes 0 to 3
INFOS = tl.constexpr(8)  # int8: bits of min and scale; lossless: of each plane, see plane_info
DICTIONARIES = tl.constexpr(12)  # lossless: 256 bytes for each plane
FLAG = tl.constexpr(13)  # lossless: which flag tells of a code past its dictionary


def plane_info(width: int, is_plain: bool, entries: int) -> int:
    """The entries of a lossless plane in the table."""
    return width | int(is_plain) << 4 | entries << 8


# ---- types of values; bits are those of float32, as uint32 ----


@triton.jit
def _is_nan(bits):
    return (bits & 0x7FFFFFFF) > 0x7F800000


@triton.jit
def _bits_of_half(half):
    """Exact; a signalling NaN stays one."""
    sign = (half & 0x8000) << 16
    exponent = (half >> 10) & 31
    fraction = half & 0x3FF
    subnormal = (fraction.to(tl.float32) * 5.9604644775390625e-08).to(tl.uint32, bitcast=True)
    usual = ((exponent + 112) << 23) | (fraction << 13)
    endless = 0x7F800000 | (fraction << 13)
    magnitude = tl.where(exponent == 0, subnormal, tl.where(exponent == 31, endless, usual))
    return sign | magnitude


@triton.jit
def _half_of(bits):
    """To nearest, ties to even. NaNs keep the top of their payload, or get 1 for it."""
    sign = (bits >> 16) & 0x8000
    magnitude = bits & 0x7FFFFFFF
    payload = (bits >> 13) & 0x3FF
    nan = 0x7C00 | tl.where(payload == 0, 1, payload)
    usual = (magnitude - 0x38000000 + 0xFFF + ((magnitude >> 13) & 1)) >> 13
    exponent = magnitude >> 23
    shift = tl.where(exponent < 100, 26, tl.where(exponent > 112, 14, 126 - exponent))
    whole = (magnitude & 0x7FFFFF) | 0x800000
    small = (whole + (1 << (shift - 1)) - 1 + ((whole >> shift) & 1)) >> shift
    half = tl.where(magnitude < 0x38800000, small, usual)
    half = tl.where(magnitude >= 0x477FF000, 0x7C00, half)
    return sign | tl.where(magnitude > 0x7F800000, nan, half)


@triton.jit
def _bfloat_of(bits):
    """The same with seven bits of payload."""
    high = bits >> 16
    nan = tl.where((high & 0x7F) == 0, high | 1, high)
    # Never past 32 bits: larger values are NaN.
    near = ((bits & 0x7FFFFFFF) + 0x7FFF + (high & 1)) >> 16 | (high & 0x8000)
    return tl.where(_is_nan(bits), nan, near)


@triton.jit
def _as_type(bits, like: tl.constexpr):
    """As the integers that the output is seen as: 32 bits, or 16 of float16 or bfloat16."""
    if like == FLOAT16:
        result = _half_of(bits).to(tl.uint16).to(tl.int16, bitcast=True)
    elif like == BFLOAT16:
        result = _bfloat_of(bits).to(tl.uint16).to(tl.int16, bitcast=True)
    else:
        result = bits.to(tl.int32, bitcast=True)
    return result


# ---- codes of even steps ----


@triton.jit
def _product(a, b, ARITHMETIC: tl.constexpr):
    # A product and a sum in a row would become one fused operation, which rounds once where the
    # format rounds twice; and compilers may flush subnormal numbers. PTX with .rn and without .ftz
    # forbids both.
    if ARITHMETIC == PTX:
        result = tl.inline_asm_elementwise(
            "mul.rn.f32 $0, $1, $2;", "=f,f,f", [a, b], dtype=tl.float32, is_pure=True, pack=1
        )
    else:
        result = a * b
    return result


@triton.jit
def _sum(a, b, ARITHMETIC: tl.constexpr):
    if ARITHMETIC == PTX:
        result = tl.inline_asm_elementwise(
            "add.rn.f32 $0, $1, $2;", "=f,f,f", [a, b], dtype=tl.float32, is_pure=True, pack=1
        )
    else:
        result = a + b
    return result


@triton.jit
def _value_of_code(code, minimum, scale, ARITHMETIC: tl.constexpr):
    """Bits of code * scale + minimum; `minimum` and `scale` are int32 bits."""
    product = _product(code.to(tl.float32), scale.to(tl.float32, bitcast=True), ARITHMETIC)
    value = _sum(product, minimum.to(tl.float32, bitcast=True), ARITHMETIC)
    bits = value.to(tl.uint32, bitcast=True)
    min_bits = minimum.to(tl.uint32, bitcast=True)
    scale_bits = scale.to(tl.uint32, bitcast=True)
    # As x86 has it: the first NaN, made quiet, else a negative one for 0 * inf and inf - inf.
    late = tl.where(_is_nan(min_bits), min_bits | 0x400000, 0xFFC00000)
    late = tl.where(_is_nan(product.to(tl.uint32, bitcast=True)), 0xFFC00000, late)
    nan = tl.where(_is_nan(scale_bits), scale_bits | 0x400000, late)
    return tl.where(_is_nan(bits), nan, bits)


# ---- byte planes ----


@triton.jit
def _bits_of_planes(task, source, flags, i, inside, UNIT: tl.constexpr):
    if UNIT == 1:
        i = tl.load(task + LEAD).to(tl.int32) + i
    dictionaries = source + tl.load(task + DICTIONARIES) * 16
    bits = i.to(tl.uint32) * 0
    for k in tl.static_range(4):
        info = tl.load(task + INFOS + k).to(tl.int32)
        plane = source + tl.load(task + PLACES + k) * 16
        width = info & 15
        entries = info >> 8
        if (info & 16) != 0:
            byte = tl.load(plane + i, mask=inside, other=0).to(tl.int32)
        else:
            first = i * width
            at = plane + (first >> 3)
            both = tl.load(at, mask=inside, other=0).to(tl.int32) << 8
            # One byte past the plane is in the buffer, and not used.
            both = both | tl.load(at + 1, mask=inside, other=0).to(tl.int32)
            code = (both >> (16 - width - (first & 7))) & ((1 << width) - 1)
            byte = tl.load(dictionaries + k * 256 + code, mask=inside, other=0).to(tl.int32)
            worst = tl.max(tl.where(inside, code, 0), axis=0)
            tl.store(flags + tl.load(task + FLAG), 1, mask=worst >= entries)
        bits = bits | (byte.to(tl.uint32) << (8 * k))
    return bits


# ---- the kernel ----


@triton.jit
def decode(
    out,
    source,
    words,
    numbers,
    table,
    tasks,
    flags,
    dimension,
    stride,
    KIND: tl.constexpr,
    TYPE: tl.constexpr,
    LAYOUT: tl.constexpr,
    UNIT: tl.constexpr,
    SIZE: tl.constexpr,
    ARITHMETIC: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Decodes a block of values of one of many tasks.

    Args:
        out: The output, as integers of the size of its values.
        source, words, numbers: The buffer of what was copied, as what is read of it (SIZE bytes
            each), as int32 and as int64.
        table, tasks: The table of tasks, and for each block the one it belongs to.
        flags: int32, one for each lossless task.
        dimension: Values in a row.
        stride: Values from row to row of the output.
        UNIT: 16 where all counts and places of the output are multiples of that: so loads and
            stores become as wide as they can be.
    """
    block = tl.program_id(0)
    task = table + tl.load(tasks + block) * FIELDS
    n = tl.load(task + VALUES).to(tl.int32) * UNIT
    i = (block - tl.load(task + FIRST_BLOCK).to(tl.int32)) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n

    row = i // dimension
    column = i - row * dimension
    if LAYOUT == DENSE:
        place = tl.load(task + OUT) * UNIT + i
    elif LAYOUT == APART:
        place = (tl.load(task + OUT) + row) * stride + column
    else:
        place = tl.load(numbers + tl.load(task + OUT) + row, mask=inside, other=0)
        place = place * stride + column

    codes = source + tl.load(task + PLACES) * (16 // SIZE)
    if KIND == COPY:
        tl.store(out + place, tl.load(codes + i, mask=inside), mask=inside)
    else:
        if KIND == FLOAT32:
            bits = tl.load(codes + i, mask=inside, other=0).to(tl.uint32, bitcast=True)
        elif KIND == FLOAT16:
            half = tl.load(codes + i, mask=inside, other=0).to(tl.uint16, bitcast=True)
            bits = _bits_of_half(half.to(tl.uint32))
        elif KIND == BFLOAT16:
            high = tl.load(codes + i, mask=inside, other=0).to(tl.uint16, bitcast=True)
            bits = high.to(tl.uint32) << 16
        elif KIND == LOSSLESS:
            bits = _bits_of_planes(task, source, flags, i, inside, UNIT)
        elif KIND == INT8:
            code = tl.load(codes + i, mask=inside, other=0)
            minimum = tl.load(task + INFOS).to(tl.int32)
            scale = tl.load(task + INFOS + 1).to(tl.int32)
            bits = _value_of_code(code, minimum, scale, ARITHMETIC)
        else:
            if KIND == INT4:
                both = tl.load(
                    codes + row * ((dimension + 1) // 2) + column // 2, mask=inside, other=0
                )
                code = (both.to(tl.int32) >> (4 * (column & 1))) & 15
            else:
                code = tl.load(codes + i, mask=inside, other=0)
            group = column
            if KIND == INT8_ROW:
                group = row
            min_at = words + tl.load(task + PLACES + 1) * 4 + group
            scale_at = words + tl.load(task + PLACES + 2) * 4 + group
            minimum = tl.load(min_at, mask=inside, other=0)
            scale = tl.load(scale_at, mask=inside, other=0)
            bits = _value_of_code(code, minimum, scale, ARITHMETIC)
        tl.store(out + place, _as_type(bits, TYPE), mask=inside)
