"""Cells of text tables, a whole column at a time.

Arrow writes a million cells in the time in which Python writes a tenth of them. What it would
write otherwise than Python (1 for 1.0), or cannot be sure to, is left to Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pandas as pd

Numbers = npt.NDArray[np.float64]

# Between these, and without an exponent, Arrow writes as Python does.
_LEAST, _MOST = 1e-4, 1e10
_TRIED = 1000
_EXACT = 2.0**51
_UNSURE = 2.0**-52


def texts(column: pd.Series) -> pa.Array:
    """A column of texts, as Arrow has it; a missing cell is null.

    Parameters
    ----------
    column : pandas.Series
        Of str; or categorical, which gives a `pyarrow.DictionaryArray`.

    Raises
    ------
    pyarrow.ArrowException or UnicodeError
        If it holds anything else, or what UTF-8 cannot write.
    """
    found = pa.array(column, from_pandas=True)
    if isinstance(found, pa.ChunkedArray):
        found = found.combine_chunks()
    if isinstance(found, pa.DictionaryArray):
        return _coded(found, found.dictionary.cast(pa.string()))
    if pa.types.is_string(found.type) or pa.types.is_large_string(found.type):
        plain: pa.Array = found.cast(pa.string())
        return plain
    raise pa.ArrowTypeError(f"no texts, but {found.type}")


def _coded(like: pa.DictionaryArray, meanings: pa.StringArray) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(like.indices, meanings)


def decoded(texts: pa.Array) -> pa.StringArray:
    """Give cells, one by one."""
    return texts.dictionary_decode() if isinstance(texts, pa.DictionaryArray) else texts


def shortest(numbers: Numbers) -> pa.StringArray:
    """Write numbers with as few digits as tell them from all others, as `repr` does.

    Parameters
    ----------
    numbers : ndarray of float64, shape (n,)
        NaN is a missing cell: null.
    """
    return _each_once(numbers, _shortest)


def _each_once(numbers: Numbers, write: Callable[[Numbers], pa.StringArray]) -> pa.StringArray:
    """Write numbers; where the first ones are often the same, each different one once."""
    if len(np.unique(numbers[:_TRIED])) > _TRIED / 4 or len(numbers) <= _TRIED:
        return write(numbers)
    coded = pa.array(numbers).dictionary_encode()
    return write(coded.dictionary.to_numpy()).take(coded.indices)


def _shortest(numbers: Numbers) -> pa.StringArray:
    size = np.abs(numbers)
    texts = pa.array(numbers, from_pandas=True).cast(pa.string())
    whole = numbers == np.rint(numbers)
    if whole.any():
        texts = pc.if_else(pa.array(whole), followed_by(texts, ".0"), texts)
    plain = ((size >= _LEAST) & (size < _MOST)) | (size == 0) | np.isnan(size)
    return texts if plain.all() else _replaced(texts, numbers, ~plain, repr)


def fixed(numbers: Numbers, decimals: int) -> pa.StringArray:
    """Write numbers with so many decimals, as ``f"{number:.3f}"`` does.

    Parameters
    ----------
    numbers : ndarray of float64, shape (n,)
        NaN is written as ``nan``.
    decimals : int
        How many.
    """
    return _each_once(numbers, lambda different: _fixed(different, decimals))


def _fixed(numbers: Numbers, decimals: int) -> pa.StringArray:
    with np.errstate(invalid="ignore"):
        scaled = numbers * 10.0**decimals
        nearest = np.rint(scaled)
        from_half = np.abs(np.abs(scaled - nearest) - 0.5)
        # Whether less or more than half is left over is told by digits that `scaled` may lack.
        sure = (from_half > scaled * _UNSURE) & (scaled < _EXACT) & ~np.signbit(numbers)
    words = np.zeros((len(numbers), 2), dtype=np.int64)
    words[:, 0] = np.where(sure, nearest, 0)
    kind = pa.decimal128(38, decimals)
    texts = pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(words)]).cast(pa.string())
    return texts if sure.all() else _replaced(texts, numbers, ~sure, f"{{:.{decimals}f}}".format)


def _replaced(
    texts: pa.StringArray,
    numbers: Numbers,
    where: npt.NDArray[np.bool_],
    write: Callable[[float], str],
) -> pa.StringArray:
    written = pa.array([write(number) for number in numbers[where].tolist()], pa.string())
    return pc.replace_with_mask(texts, pa.array(where), written)


def quoted(texts: pa.Array, *, all_of_them: bool = False) -> pa.Array:
    """Put texts in quotes as CSV has them: those with a comma, a quote or a line's end, or all."""
    if isinstance(texts, pa.DictionaryArray):
        return _coded(texts, quoted(texts.dictionary, all_of_them=all_of_them))
    special = pc.match_substring_regex(texts, '[",\n]')
    if not (all_of_them or pc.any(special).as_py()):
        return texts
    whole = pc.replace_substring(texts, '"', '""')
    whole = followed_by(pc.binary_join_element_wise(pa.scalar(""), whole, '"'), '"')
    return whole if all_of_them else pc.if_else(special, whole, texts)


def followed_by(texts: pa.StringArray, end: str) -> pa.StringArray:
    """Add the same to the end of every text."""
    return pc.binary_join_element_wise(texts, pa.scalar(end), "")


def lines(columns: Sequence[pa.Array], separator: str) -> pa.StringArray:
    """Join the cells of every row to a line, with its end."""
    *first, last = map(decoded, columns)
    return pc.binary_join_element_wise(*first, followed_by(last, "\n"), separator)


def content(texts: pa.StringArray) -> tuple[bytes, npt.NDArray[np.int32]]:
    """Give the UTF-8 of all texts, one after the other, and where each begins.

    Returns
    -------
    utf8 : bytes
        Of all.
    starts : ndarray of int32, shape (n + 1,)
        The last is where the last text ends.
    """
    _, offsets, data = texts.buffers()
    starts = np.frombuffer(offsets, dtype=np.int32)[texts.offset : texts.offset + len(texts) + 1]
    utf8: bytes = data[starts[0] : starts[-1]].to_pybytes() if data else b""
    return utf8, starts - starts[0]
