# SPDX-License-Identifier: Apache-2.0
"""How to encode, as objects: ``mode=``, ``delta=`` and ``paging=`` accept them and text."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Union, final

from ._errors import InvalidArgumentError, TypeMismatchError

if TYPE_CHECKING:
    from typing import SupportsFloat, SupportsIndex

    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Self

    _Sizes = Union[Sequence[SupportsIndex], npt.NDArray[np.integer[Any]]]

_MAX_SIZE = (1 << 64) - 1


class OutOfRangeError(InvalidArgumentError, OverflowError):
    """An integer that does not fit where it was given."""


def size_of(value: SupportsIndex, maximum: int = _MAX_SIZE) -> int:
    """An integer from 0 to ``maximum``; TypeMismatchError for other objects, OutOfRangeError."""
    try:
        number = operator.index(value)
    except TypeError as error:
        raise TypeMismatchError(str(error)) from None
    if not 0 <= number <= maximum:
        raise OutOfRangeError(
            f"{_range_words(number, maximum)}: {number} is not from 0 to {maximum}"
        )
    return number


def _range_words(number: int, maximum: int) -> str:
    """Python's message for an integer that does not fit, or pcodec's for a narrower one."""
    if maximum == _MAX_SIZE:
        return "can't convert negative int to unsigned" if number < 0 else "int too big to convert"
    return f"number too {'small' if number < 0 else 'large'} to fit in target type"


class _Spec:
    """Immutable, compared by value, hashable, picklable; made by static methods alone."""

    __slots__ = ("_core", "_text")

    _core: Any
    _text: str

    def __init__(self) -> None:
        raise TypeMismatchError(
            f"cannot create {type(self).__name__} instances: its static methods make them"
        )

    @classmethod
    def _make(cls, core: Any, text: str) -> Self:
        spec = object.__new__(cls)
        object.__setattr__(spec, "_core", core)
        object.__setattr__(spec, "_text", text)
        return spec

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} objects cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} objects cannot be changed")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return bool(self._text == other._text)

    def __hash__(self) -> int:
        return hash((type(self), self._text))

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self._text}"

    def __reduce__(self) -> tuple[object, ...]:
        return _remade, (type(self), self._core, self._text)


def _remade(kind: type[_Spec], core: Any, text: str) -> _Spec:
    if kind is not PagingSpec and isinstance(core, tuple):
        # Pickled by version 0.1: a name and a number, or None.
        core = core[0] if core[1] is None else f"{core[0]}={core[1]!r}"
    return kind._make(core, text)


@final
class ModeSpec(_Spec):
    """How numbers are split into the parts that are stored.

    The ``try_`` forms name a split that always works but may not pay; where it does not, numbers
    are stored as with ``classic``. One that does not apply to the numbers' type is an error when
    it is used.
    """

    __slots__ = ()
    _MAX_K: ClassVar[int] = (1 << 32) - 1

    @property
    def _core_mode(self) -> str:
        core: str = self._core
        return core

    @staticmethod
    def auto() -> ModeSpec:
        """Whichever seems smallest."""
        return ModeSpec._make("auto", "auto()")

    @staticmethod
    def classic() -> ModeSpec:
        """Numbers as they are."""
        return ModeSpec._make("classic", "classic()")

    @staticmethod
    def try_dict() -> ModeSpec:
        """Few different numbers: each by its place in a list of them."""
        return ModeSpec._make("dict", "try_dict()")

    @staticmethod
    def try_int_mult(base: SupportsIndex) -> ModeSpec:
        """Integers by their multiple of ``base`` and the rest."""
        number = size_of(base)
        return ModeSpec._make(f"int-mult={number}", f"try_int_mult({number})")

    @staticmethod
    def try_float_mult(base: SupportsFloat | SupportsIndex) -> ModeSpec:
        """Floats by their multiple of ``base`` and how far they are from it."""
        try:
            # As float(), but text is not a number.
            number = math.ldexp(base, 0)
        except TypeError as error:
            raise TypeMismatchError(str(error)) from None
        return ModeSpec._make(f"float-mult={number!r}", f"try_float_mult({number!r})")

    @staticmethod
    def try_float_quant(k: SupportsIndex) -> ModeSpec:
        """Floats by their leading bits and the last ``k`` apart."""
        number = size_of(k, ModeSpec._MAX_K)
        return ModeSpec._make(f"float-quant={number}", f"try_float_quant({number})")


@final
class DeltaSpec(_Spec):
    """How neighbours are used to make numbers small.

    As with ``ModeSpec``, what does not pay is left out, and what does not apply is an error when
    it is used.
    """

    __slots__ = ()
    # As the extension takes it; the largest order is far below.
    _MAX_ORDER: ClassVar[int] = (1 << 32) - 1

    @property
    def _core_delta(self) -> str:
        core: str = self._core
        return core

    @staticmethod
    def auto() -> DeltaSpec:
        """Whichever seems smallest."""
        return DeltaSpec._make("auto", "auto()")

    @staticmethod
    def no_op() -> DeltaSpec:
        """Numbers are stored without regard to their neighbours."""
        return DeltaSpec._make("none", "no_op()")

    @staticmethod
    def try_consecutive(order: SupportsIndex) -> DeltaSpec:
        """Differences of neighbours, taken ``order`` times: 0 to 7."""
        number = size_of(order)
        core = min(number, DeltaSpec._MAX_ORDER)
        return DeltaSpec._make(f"consecutive={core}", f"try_consecutive({number})")

    @staticmethod
    def try_lookback() -> DeltaSpec:
        """Differences from like numbers further back."""
        return DeltaSpec._make("lookback", "try_lookback()")

    @staticmethod
    def try_conv1(order: SupportsIndex) -> DeltaSpec:
        """Differences from a weighed sum of the last ``order`` numbers: 1 to 32."""
        number = size_of(order)
        core = min(number, DeltaSpec._MAX_ORDER)
        return DeltaSpec._make(f"conv1={core}", f"try_conv1({number})")


@final
class PagingSpec(_Spec):
    """Where numbers are cut: chunks of a standalone file, pages of a wrapped chunk."""

    __slots__ = ()

    @property
    def _core_paging(self) -> int | list[int]:
        core: int | tuple[int, ...] = self._core
        return core if isinstance(core, int) else list(core)

    @staticmethod
    def equal_pages_up_to(n: SupportsIndex) -> PagingSpec:
        """As few as possible of at most ``n`` numbers each, equal to within one."""
        number = size_of(n)
        return PagingSpec._make(number, f"equal_pages_up_to({number})")

    @staticmethod
    def exact_page_sizes(sizes: _Sizes) -> PagingSpec:
        """Pages of exactly these sizes, which must add up to the count of numbers."""
        # NumPy arrays are sequences in all but name.
        is_sequence = isinstance(sizes, Sequence) or getattr(sizes, "ndim", 0) == 1
        if isinstance(sizes, str) or not is_sequence:
            kind = type(sizes).__name__
            raise TypeMismatchError(f"sizes: '{kind}' object is not an instance of 'Sequence'")
        numbers = tuple(size_of(size) for size in sizes)
        return PagingSpec._make(numbers, f"exact_page_sizes({list(numbers)})")
