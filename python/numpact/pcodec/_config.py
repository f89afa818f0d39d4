# SPDX-License-Identifier: Apache-2.0
"""Options of compression."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, final

import numpy as np

from .._errors import Error, InvalidArgumentError
from .._spec_types import DeltaSpec, ModeSpec, PagingSpec, size_of
from .._specs import DEFAULT_LEVEL, DEFAULT_PAGE_N, MAX_LEVEL, CoreOptions, CorePaging
from ._errors import invalid, marked, not_an_instance

if TYPE_CHECKING:
    from typing import SupportsIndex

_Spec = TypeVar("_Spec", ModeSpec, DeltaSpec, PagingSpec)

DEFAULT_COMPRESSION_LEVEL = DEFAULT_LEVEL

_AUTO_MODE = ModeSpec.auto()
_AUTO_DELTA = DeltaSpec.auto()
_DEFAULT_PAGES = PagingSpec.equal_pages_up_to(DEFAULT_PAGE_N)

_ARGUMENTS = {ModeSpec: "mode_spec", DeltaSpec: "delta_spec", PagingSpec: "paging_spec"}

# The largest orders that the format has, and the widest numbers that conv1 takes, in bits.
_MAX_ORDERS = {"consecutive": 7, "conv1": 32}
_MAX_CONV1_BITS = 32


@final
class ChunkConfig:
    """Options of compression.

    Args:
        compression_level: 0 (fast) to 12 (small).
        mode_spec, delta_spec: The mode and the delta encoding, see these classes.
        paging_spec: The sizes of pages; by default at most 262144 numbers.
        enable_8_bit: Accept integers of 8 bits, which other methods often compress better.

    Options that contradict each other raise an error when they are used. Mutable; threads may share
    an instance as long as none changes it.
    """

    __slots__ = ("_delta", "_enable_8_bit", "_level", "_mode", "_paging")

    def __init__(
        self,
        compression_level: SupportsIndex = DEFAULT_COMPRESSION_LEVEL,
        mode_spec: ModeSpec = _AUTO_MODE,
        delta_spec: DeltaSpec = _AUTO_DELTA,
        paging_spec: PagingSpec = _DEFAULT_PAGES,
        enable_8_bit: bool = False,
    ) -> None:
        self._level = size_of(compression_level)
        self._mode = _checked(mode_spec, ModeSpec)
        self._delta = _checked(delta_spec, DeltaSpec)
        self._paging = _checked(paging_spec, PagingSpec)
        self._enable_8_bit = _checked_bool(enable_8_bit)

    @property
    def compression_level(self) -> int:
        return self._level

    @compression_level.setter
    def compression_level(self, value: SupportsIndex) -> None:
        self._level = size_of(value)

    @property
    def mode_spec(self) -> ModeSpec:
        return self._mode

    @mode_spec.setter
    def mode_spec(self, value: ModeSpec) -> None:
        self._mode = _checked(value, ModeSpec)

    @property
    def delta_spec(self) -> DeltaSpec:
        return self._delta

    @delta_spec.setter
    def delta_spec(self, value: DeltaSpec) -> None:
        self._delta = _checked(value, DeltaSpec)

    @property
    def paging_spec(self) -> PagingSpec:
        return self._paging

    @paging_spec.setter
    def paging_spec(self, value: PagingSpec) -> None:
        self._paging = _checked(value, PagingSpec)

    @property
    def enable_8_bit(self) -> bool:
        return self._enable_8_bit

    @enable_8_bit.setter
    def enable_8_bit(self, value: bool) -> None:
        self._enable_8_bit = _checked_bool(value)

    def __repr__(self) -> str:
        return (
            f"ChunkConfig(compression_level={self._level}, mode_spec={self._mode}, "
            f"delta_spec={self._delta}, paging_spec={self._paging}, "
            f"enable_8_bit={self._enable_8_bit})"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return ChunkConfig, (
            self._level,
            self._mode,
            self._delta,
            self._paging,
            self._enable_8_bit,
        )

    def _options(self, type_name: str, count: int) -> CoreOptions:
        """Arguments for encoders in ``_core``; raises for options that do not fit the numbers."""
        if self._level > MAX_LEVEL:
            raise invalid(f"compression level may not exceed {MAX_LEVEL} (was {self._level})")
        bits = int(type_name[1:])
        if bits == 8 and not self._enable_8_bit:
            raise invalid(
                "compressing 8-bit types with Pco is often a mistake: other methods make them "
                "smaller; ChunkConfig(enable_8_bit=True) takes them"
            )
        paging = self._paging._core_paging
        check_page_sizes(paging, count)
        mode = self._mode._core_mode
        name, _, number = mode.partition("=")
        _check_mode(name, type_name)
        if name == "int-mult":
            # As in pcodec, the base is truncated to the bits of the type.
            mode = f"{name}={int(number) & ((1 << bits) - 1)}"
        delta = self._delta._core_delta
        name, _, number = delta.partition("=")
        _check_delta(name, int(number) if number else None, bits)
        if delta == "conv1=0" and bits <= 32:
            delta = "none"  # as in pcodec
        return {"level": self._level, "mode": mode, "delta": delta, "paging": paging}


def _check_mode(mode: str, type_name: str) -> None:
    is_float = type_name[0] == "f"
    if mode.startswith("float-") and not is_float:
        raise invalid(f"unable to use float mode for ints: {mode} does not apply to {type_name}")
    if mode == "int-mult" and is_float:
        raise invalid(f"unable to use int mult mode on floats: the numbers are {type_name}")


def _check_delta(delta: str, order: int | None, bits: int) -> None:
    if delta == "conv1" and bits > _MAX_CONV1_BITS:
        raise invalid("Conv1 delta encoding is only supported for types with 32 or fewer bits")
    maximum = _MAX_ORDERS.get(delta)
    if maximum is not None and order is not None and order > maximum:
        raise invalid(f"{delta} delta order may not exceed {maximum} (was {order})")


def check_page_sizes(paging: CorePaging, count: int) -> None:
    """Raises unless the sum of exact page sizes is ``count`` and none is 0."""
    if not isinstance(paging, list):
        return
    if sum(paging) != count:
        raise invalid(f"paging spec suggests {sum(paging)} numbers but {count} were given")
    if 0 in paging:
        raise invalid(f"cannot write data page of 0 numbers: page {paging.index(0)}")


def encoding_error(error: Error, mode: str, type_name: str) -> Error:
    """The error for numbers that could not be encoded; other causes have been checked before."""
    if isinstance(error, InvalidArgumentError) and "=" in mode:
        return marked(error, f"the chosen mode of {mode} was invalid for {type_name}")
    return marked(error)


def check_config(config: object) -> ChunkConfig:
    if not isinstance(config, ChunkConfig):
        raise not_an_instance("config", config, "ChunkConfig")
    return config


def _checked(value: _Spec, kind: type[_Spec]) -> _Spec:
    if not isinstance(value, kind):
        raise not_an_instance(_ARGUMENTS[kind], value, kind.__name__)
    return value


def _checked_bool(value: bool) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise not_an_instance("enable_8_bit", value, "bool")
    return bool(value)
