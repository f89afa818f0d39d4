# SPDX-License-Identifier: Apache-2.0
"""One choice of mode and delta encoding for many series of one kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from . import _core
from ._arrays import numbers_of
from ._errors import TypeMismatchError
from ._number_types import dtype_of
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

if TYPE_CHECKING:
    import numpy as np


@final
class Recipe:
    """The choice of ``choose_recipe``: the parameters of a mode and of a delta encoding.

    Immutable, compared by value, hashable and picklable; threads may share it.

    Args:
        text: ``str()`` of a recipe, to use it in another process.

    Raises:
        InvalidArgumentError: The text is not that of a recipe.

    >>> import numpact
    >>> recipe = numpact.Recipe("f64 float-mult=0.01 consecutive=1")
    >>> recipe.dtype
    dtype('float64')
    >>> len(numpact.compress([1.25, 1.5, 1.75], recipe=recipe)) > 0
    True
    """

    __slots__ = ("_core_recipe",)

    _core_recipe: _core.Recipe

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise TypeMismatchError(f"a recipe is made of text, not of {type(text).__name__}")
        object.__setattr__(self, "_core_recipe", _core.parse_recipe(text))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers that it is for."""
        return dtype_of(self._core_recipe.type)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Recipe is immutable: {name} cannot be set")

    def __str__(self) -> str:
        return self._core_recipe.text

    def __repr__(self) -> str:
        return f"Recipe({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other) if isinstance(other, Recipe) else NotImplemented

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[type[Recipe], tuple[str]]:
        return Recipe, (str(self),)


def choose_recipe(
    sample: object,
    paging: Paging = DEFAULT_PAGING,
    level: int = DEFAULT_LEVEL,
    mode: Mode = "auto",
    delta: Delta = "auto",
    *,
    compat: str = "4.1",
    favor_decode_speed: bool = False,
    decode_weight: float = 0,
) -> Recipe:
    """Chooses the best encoding for the series of a sample, for ``compress(..., recipe=)``.

    Choosing takes most of the time that ``compress`` needs for a short series; with a recipe
    nothing is chosen. The result is exact for any numbers, and close to the smallest for series
    that resemble the sample.

    Args:
        sample: Numbers, as for ``compress``: several series, one after the other.
        paging: The length of a series; or the lengths of all.
        level, mode, delta, compat, favor_decode_speed,
            decode_weight: As for ``compress``, whose ``level`` and
            ``compat`` apply again when a series is compressed.

    Raises:
        TypeMismatchError: ``sample`` is not numeric, or has a type that Pco does not support.
        InvalidArgumentError: The sample is empty, or the options contradict each other.

    Thread-safe. The GIL is released during the computation.

    >>> import numpact
    >>> series = [[k * 0.25 for k in range(n, n + 500)] for n in range(20)]
    >>> recipe = numpact.choose_recipe(sum(series, []), paging=500)
    >>> files = [numpact.compress(one, recipe=recipe) for one in series]
    >>> numpact.decompress(files[7]).tolist() == series[7]
    True
    """
    chosen = _core.choose_recipe(
        numbers_of(sample),
        **core_options(level, mode, delta, paging),
        compat=core_compat(compat),
        decode_weight=core_weight(decode_weight, favor_decode_speed),
    )
    return Recipe(chosen.text)
