"""Packing Booleans into words."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from logiclens.logic.arrays import one_thread, pack, quiet_products, unpack


@pytest.mark.parametrize("n_bits", [0, 1, 7, 8, 9, 63, 64, 65, 127, 128, 129, 2048])
def test_bit_j_is_in_word_j_div_64(n_bits):
    for order in ("C", "F"):
        bits = np.asarray(np.random.default_rng(n_bits).random((3, n_bits)) < 0.5, order=order)
        words = pack(bits)
        numbers = [sum(1 << int(j) for j in np.flatnonzero(row)) for row in bits]
        expected = [[number >> 64 * w & 2**64 - 1 for w in range(words.shape[1])] for number in numbers]

        assert words.tolist() == expected
        assert np.array_equal(unpack(words, n_bits), bits)
        assert np.array_equal(unpack(words[::2], n_bits), bits[::2])


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

    @one_thread()
    def fail() -> None:
        with one_thread():
            assert set(threads()) == {1}
        assert set(threads()) == {1}
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    assert threads() == before
