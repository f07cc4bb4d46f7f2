"""Cells of text tables, a whole column at a time.

Arrow writes a million cells in the time in which Python writes a tenth of them. What it would
write otherwise than Python (1 for 1.0), or cannot be sure to, is left to Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pandas as pd

Numbers = npt.NDArray[np.float64]

# Between these, and without an exponent, Arrow writes as Python does.
_LEAST, _MOST = 1e-4, 1e10
_EXACT = 2.0**51
_TRIED, _MOSTLY = 1000, 0.8
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
        return coded(found.indices, found.dictionary.cast(pa.string()))
    if pa.types.is_string(found.type) or pa.types.is_large_string(found.type):
        plain: pa.Array = found.cast(pa.string())
        return plain
    raise pa.ArrowTypeError(f"no texts, but {found.type}")


def coded(indices: pa.Array, different: pa.Array) -> pa.DictionaryArray:
    """Give cells by their numbers among different ones."""
    return pa.DictionaryArray.from_arrays(indices, different)


def distinct(column: pa.Array) -> pa.Array:
    """The cells that a column is made of: all of them, or each different one."""
    return column.dictionary if isinstance(column, pa.DictionaryArray) else column


def is_text(column: pa.Array) -> bool:
    """Whether a column holds texts, none of them by its number."""
    return bool(pa.types.is_string(column.type))


def decoded(column: pa.Array) -> pa.Array:
    """Give cells, one by one."""
    return column.dictionary_decode() if isinstance(column, pa.DictionaryArray) else column


def from_numpy(array: npt.NDArray[Any]) -> pa.Array:
    """Give an array of numpy to Arrow, as it is: NaN is no null.

    `pyarrow.array` and its like import pandas, which takes longer than to write many a table.

    Parameters
    ----------
    array : ndarray of float64, int64, int32 or bool, shape (n,)
        Not changed.
    """
    kind = pa.from_numpy_dtype(array.dtype)
    packed = np.packbits(array, bitorder="little") if array.dtype == np.bool_ else array
    content = pa.py_buffer(np.ascontiguousarray(packed))
    return pa.Array.from_buffers(kind, len(array), [None, content])


def to_numpy(array: pa.Array) -> npt.NDArray[Any]:
    """Give numbers of Arrow, none of them missing, to numpy; nothing is copied."""
    kind = array.type.to_pandas_dtype()
    if not len(array):
        return np.empty(0, dtype=kind)
    found = np.frombuffer(array.buffers()[1], dtype=kind)
    return found[array.offset : array.offset + len(array)]


def from_texts(texts: Iterable[str | None]) -> pa.StringArray:
    """Give texts to Arrow; None is null."""
    encoded = [None if text is None else text.encode() for text in texts]
    ends = np.cumsum([0, *(0 if text is None else len(text) for text in encoded)])
    there = from_numpy(np.array([text is not None for text in encoded], dtype=np.bool_))
    content = b"".join(text for text in encoded if text is not None)
    buffers = [there.buffers()[1], pa.py_buffer(ends.astype(np.int32)), pa.py_buffer(content)]
    return pa.Array.from_buffers(pa.string(), len(encoded), buffers)


def _scalar(text: str) -> pa.StringScalar:
    return from_texts([text])[0]


def numbers_of(column: pa.Array) -> Numbers:
    """Numbers as an array of numpy; NaN where one is missing."""
    whole = decoded(column).cast(pa.float64())
    if whole.null_count:
        whole = whole.fill_null(from_numpy(np.array([np.nan]))[0])
    found: Numbers = to_numpy(whole)
    return found


def shortest(numbers: Numbers) -> pa.Array:
    """Write numbers with as few digits as tell them from all others, as `repr` does.

    Parameters
    ----------
    numbers : ndarray of float64, shape (n,)
        NaN is a missing cell: null.

    Returns
    -------
    pyarrow.StringArray, or pyarrow.DictionaryArray of str
        The second where many are the same.
    """
    return _each_once(numbers, _shortest)


def rounded(numbers: Numbers, decimals: int) -> pa.Array:
    """Round numbers as `numpy.round` does.

    Parameters
    ----------
    numbers : ndarray of float64, shape (n,)
        Any.
    decimals : int
        How many.

    Returns
    -------
    pyarrow.DoubleArray, or pyarrow.DictionaryArray of float64
        The second where many are the same.
    """
    return _each_once(numbers, lambda different: from_numpy(np.round(different, decimals)))


def _each_once(numbers: Numbers, change: Callable[[Numbers], pa.Array]) -> pa.Array:
    """Make something of numbers; of each different one once, unless most seem to differ."""
    # By their bits: 0.0 is no -0.0.
    bits = np.ascontiguousarray(numbers).view(np.int64)
    some = from_numpy(bits[:: max(1, len(bits) // _TRIED)])
    if len(some.unique()) > _MOSTLY * len(some):
        return change(numbers)
    found = from_numpy(bits).dictionary_encode()
    return coded(found.indices, change(to_numpy(found.dictionary).view(np.float64)))


def _shortest(numbers: Numbers) -> pa.StringArray:
    size = np.abs(numbers)
    texts = from_numpy(numbers).cast(pa.string())
    whole = numbers == np.rint(numbers)
    if whole.any():
        texts = pc.if_else(from_numpy(whole), followed_by(texts, ".0"), texts)
    there = ~np.isnan(numbers)
    if not there.all():
        texts = pc.if_else(from_numpy(there), texts, from_texts([None])[0])
    plain = ((size >= _LEAST) & (size < _MOST)) | (size == 0) | np.isnan(size)
    return texts if plain.all() else _replaced(texts, numbers, ~plain, repr)


def fixed(numbers: Numbers, decimals: int) -> pa.Array:
    """Write numbers with so many decimals, as ``f"{number:.3f}"`` does.

    Parameters
    ----------
    numbers : ndarray of float64, shape (n,)
        NaN is written as ``nan``.
    decimals : int
        How many.

    Returns
    -------
    pyarrow.StringArray, or pyarrow.DictionaryArray of str
        As of `shortest`.
    """
    return _each_once(numbers, lambda different: _fixed(different, decimals))


def _fixed(numbers: Numbers, decimals: int) -> pa.StringArray:
    with np.errstate(invalid="ignore", over="ignore"):
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
    written = from_texts(write(number) for number in numbers[where].tolist())
    return pc.replace_with_mask(texts, from_numpy(where), written)


def begin_with(texts: pa.StringArray, which: str) -> bool:
    """Whether a text begins with one of some characters of ASCII; found by its first byte."""
    if not has_byte(texts, which):
        return False
    marked = np.zeros(256, dtype=np.bool_)
    marked[list(which.encode("ascii"))] = True
    places = starts(texts)
    first = np.frombuffer(view(texts), dtype=np.uint8)[places[:-1][np.diff(places) > 0]]
    return bool(marked[first].any())


def has_byte(texts: pa.StringArray, which: str) -> bool:
    """Whether texts have some of the characters of ASCII; found by their bytes, in no time."""
    content = bytes(view(texts))
    return any(byte in content for byte in which.encode("ascii"))


def quoted(texts: pa.Array, *, all_of_them: bool = False) -> pa.Array:
    """Put texts in quotes as CSV has them: those with a comma, a quote or a line's end, or all."""
    if isinstance(texts, pa.DictionaryArray):
        return coded(texts.indices, quoted(texts.dictionary, all_of_them=all_of_them))
    if not has_byte(texts, '",\n'):
        return _in_quotes(texts) if all_of_them else texts
    whole = _in_quotes(pc.replace_substring(texts, '"', '""'))
    special = pc.match_substring_regex(texts, '[",\n]')
    return whole if all_of_them else pc.if_else(special, whole, texts)


def _in_quotes(texts: pa.StringArray) -> pa.StringArray:
    return joined('"', texts, '"')


def followed_by(texts: pa.Array, end: str) -> pa.Array:
    """Add the same to the end of every text."""
    if isinstance(texts, pa.DictionaryArray):
        return coded(texts.indices, followed_by(texts.dictionary, end))
    return joined(texts, end)


def joined(*parts: pa.StringArray | str) -> pa.StringArray:
    """Join texts that stand in the same rows; what is given as a `str` is the same in all rows."""
    texts = (_scalar(part) if isinstance(part, str) else part for part in parts)
    return pc.binary_join_element_wise(*texts, _scalar(""))


def lines(columns: Sequence[pa.Array], separator: str) -> pa.StringArray:
    """Join the cells of every row to a line, with its end.

    Parameters
    ----------
    columns : sequence of pyarrow.StringArray and pyarrow.DictionaryArray of str
        None missing. What stands beside each other in the same rows, by the same indices, is
        joined once.
    separator : str
        Between the cells.
    """
    *first, last = columns
    between = _scalar(separator)
    joined: list[pa.Array] = []
    for column in [*first, followed_by(last, "\n")]:
        if joined and _in_the_same_rows(joined[-1], column):
            both = pc.binary_join_element_wise(joined[-1].dictionary, column.dictionary, between)
            joined[-1] = coded(column.indices, both)
        else:
            joined.append(column)
    return pc.binary_join_element_wise(*map(decoded, joined), between)


def _in_the_same_rows(one: pa.Array, other: pa.Array) -> bool:
    if not (isinstance(one, pa.DictionaryArray) and isinstance(other, pa.DictionaryArray)):
        return False
    if len(one.dictionary) != len(other.dictionary) or one.null_count or other.null_count:
        return False
    places = [(a.buffers()[1].address, a.offset, a.type) for a in (one.indices, other.indices)]
    return bool(places[0] == places[1])


def content(texts: pa.StringArray) -> tuple[bytes, npt.NDArray[np.int32]]:
    """Give the UTF-8 of all texts, one after the other, and where each begins.

    Returns
    -------
    utf8 : bytes
        Of all.
    starts : ndarray of int32, shape (n + 1,)
        The last is where the last text ends.
    """
    return bytes(view(texts)), starts(texts)


def starts(texts: pa.StringArray) -> npt.NDArray[np.int32]:
    """Where each text begins in `view`, and where the last one ends."""
    _, offsets, _ = texts.buffers()
    places = np.frombuffer(offsets, dtype=np.int32)[texts.offset : texts.offset + len(texts) + 1]
    found: npt.NDArray[np.int32] = places - places[0]
    return found


def view(texts: pa.StringArray) -> memoryview:
    """Give the UTF-8 of all texts, one after the other, where it lies."""
    _, offsets, data = texts.buffers()
    first, last = np.frombuffer(offsets, dtype=np.int32)[[texts.offset, texts.offset + len(texts)]]
    return memoryview(data).cast("B")[first:last] if data else memoryview(b"")
