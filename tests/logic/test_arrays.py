"""Packing Booleans into words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info

from logiclens.logic.arrays import one_thread, pack, quiet_products, unpack


@given(st.lists(st.booleans(), max_size=200))
def test_packing_and_back(bits):
    array = np.array(bits, dtype=bool)
    words = pack(array)

    assert words.dtype == np.uint64
    assert words.shape == (-(-len(bits) // 64),)
    assert np.array_equal(unpack(words, len(bits)), array)


@pytest.mark.parametrize("n_bits", [0, 1, 7, 8, 9, 63, 64, 65, 127, 128, 129, 2048])
def test_bit_j_is_in_word_j_div_64(n_bits):
    for order in ("C", "F"):
        bits = np.asarray(np.random.default_rng(n_bits).random((3, n_bits)) < 0.5, order=order)
        words = pack(bits)
        numbers = [sum(1 << int(j) for j in np.flatnonzero(row)) for row in bits]
        expected = [[number >> 64 * w & 2**64 - 1 for w in range(words.shape[1])] for number in numbers]

        assert words.tolist() == expected
        assert np.array_equal(unpack(words, n_bits), bits)


def test_unpacking_a_strided_view():
    bits = np.random.default_rng(0).random((4, 100)) < 0.5

    assert np.array_equal(unpack(pack(bits)[::2], 100), bits[::2])
    assert np.array_equal(unpack(pack(bits)[:, :1], 64), bits[:, :64])


def test_quiet_products_do_not_warn():
    """Linear algebra libraries raise the flag for invalid operations now and then, on finite input."""

    @quiet_products
    def raises_the_flag():
        return np.array([np.inf]) - np.inf

    assert np.isnan(raises_the_flag()).all()
    assert np.isnan(raises_the_flag()).all()  # and again, inside no other call


def threads() -> list[int]:
    np.ones((2, 2)) @ np.ones((2, 2))  # loads the library
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_one_thread_inside_and_as_many_as_before_after():
    before = threads()

    with one_thread():
        inside = threads()
        with one_thread():
            assert set(threads()) == {1}
        assert threads() == inside

    assert set(inside) == {1}
    assert threads() == before


def test_an_error_gives_the_threads_back():
    before = threads()

    try:
        with one_thread():
            raise ValueError
    except ValueError:
        pass

    assert threads() == before
