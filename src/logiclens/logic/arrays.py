"""The arrays everything else is made of, and how Booleans are packed 64 to a word."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

BoolArray: TypeAlias = NDArray[np.bool_]
Words: TypeAlias = NDArray[np.uint64]
"""Bits packed into 64-bit words along the last axis, bit ``j`` of the whole in word ``j // 64``."""
FloatArray: TypeAlias = NDArray[np.float64]
IndexArray: TypeAlias = NDArray[np.intp]
Terms: TypeAlias = NDArray[np.int8]
"""Conjunctions of literals, shape (n_terms, n_concepts); 1: the concept, -1: its negation, 0: neither."""

WORD = 64
"""Bits in a word."""

quiet_products = np.errstate(invalid="ignore")
"""Decorator for functions that multiply matrices of finite numbers.

Some builds of OpenBLAS raise the processor's flag for invalid operations now and then, from lanes beyond the
end of the data, which NumPy turns into a warning; the products themselves are right.
"""


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep linear algebra to one thread: the matrices are small, and waiting threads slow a busy machine.

    Examples
    --------
    >>> with one_thread():
    ...     pass
    """
    with _thread_pools().limit(limits=1, user_api="blas"):
        yield


@cache
def _thread_pools() -> ThreadpoolController:
    return ThreadpoolController()


def pack(bits: BoolArray) -> Words:
    """Pack Booleans into 64-bit words along the last axis; the bits beyond the end are 0."""
    n_words = -(-bits.shape[-1] // WORD)
    # packbits is several times slower on strided input than copying it first.
    as_bytes = np.packbits(np.ascontiguousarray(bits), axis=-1, bitorder="little")
    used = as_bytes.shape[-1]
    packed = np.empty((*bits.shape[:-1], n_words * 8), dtype=np.uint8)
    packed[..., :used] = as_bytes
    packed[..., used:] = 0
    return packed.view(np.uint64)


def unpack(words: Words, n_bits: int) -> BoolArray:
    """Undo :func:`pack`."""
    as_bytes = np.ascontiguousarray(words).view(np.uint8)
    return np.unpackbits(as_bytes, axis=-1, count=n_bits, bitorder="little").view(np.bool_)
