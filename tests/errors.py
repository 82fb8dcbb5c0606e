"""What a call says when it is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from logiclens.errors import InputError


def error_of(call: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    """The message of the :class:`~logiclens.errors.InputError` that a call raises: printable, one line."""
    with pytest.raises(InputError) as info:
        call(*args, **kwargs)
    assert str(info.value).isprintable()
    return str(info.value)
