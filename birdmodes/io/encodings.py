"""The encoding of a text that does not say it: which of many gives words that people write.

Tables of species are short, and most of their letters are ASCII; detectors that count letters are
made for pages of text, and take ``Grasmücke`` for Baltic and Russian names for Polish. Here each
encoding is tried, and the words it gives are looked at: one script in each word, capitals at its
beginning, accents on some letters and not on all.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# In the order in which they are taken where several fit: the commonest first.
_CANDIDATES = (
    "cp1252",
    "cp1250",
    "cp1251",
    "cp1253",
    "cp1254",
    "koi8_r",
    "mac_roman",
    "cp932",
    "euc_jp",
    "cp949",
    "gb18030",
    "big5",
)
# Tried where none of these gives words, and then always a guess.
_RARE = (
    *("iso8859_2", "cp1257", "cp1255", "cp1256", "cp874", "iso8859_5", "iso8859_7", "koi8_u"),
    *("mac_cyrillic", "cp866", "cp850", "cp852"),
)
_NAMES = {
    "cp932": "Shift JIS",
    "cp949": "EUC-KR",
    "mac_roman": "Mac Roman",
    "koi8_r": "KOI8-R",
    "gb18030": "GB 18030",
    "euc_jp": "EUC-JP",
    "big5": "Big5",
}
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_JAPANESE_ESCAPES = (b"\x1b$B", b"\x1b$@")
_WORD = re.compile(r"[^\W\d_]+", re.UNICODE)
_MAKES_SENSE = 0.1
_MOST_ACCENTED = 0.5
# Apostrophes as word processors write them, in "Cooper’s" and "L’Épervier".
_TYPOGRAPHIC = re.compile(r"(?<=[a-z]{3})’(?=s\b)|(?<=\b[LlDd])’(?=\w)|(?<=\s)–(?=\s)")
# Cyrillic letters of few languages, and Latin ones of Icelandic: other encodings look like them.
_UNUSUAL = frozenset("ЂЃЉЊЌЋЏђѓљњќћџЅѕЈјþÞðÐ")
_UNUSUAL_STRANGENESS = 0.4
# Letters of Ukrainian and of Russian, which no word has both of.
_UKRAINIAN, _RUSSIAN = frozenset("їєіґЇЄІҐ"), frozenset("ыэёъЫЭЁЪ")
_ODD_KINDS = ("No", "Po", "Ps", "Pe", "Pi", "Pf")
_HEAD_BYTES = 1 << 16
# Chinese characters that are taught first stand first in their code pages.
_COMMON = {"gb18030": (0xB0, 0xD7), "big5": (0xA4, 0xC6), "cp949": (0xB0, 0xC8)}


@dataclass(frozen=True)
class Decoded:
    """A text and how it was read.

    Attributes
    ----------
    text : str
        The content.
    encoding : str
        In what encoding, as people call it.
    certain : bool
        Whether no other encoding would give another text that makes sense.
    """

    text: str
    encoding: str
    certain: bool = True


def decode(raw: bytes, encoding: str | None = None) -> Decoded:
    """Read bytes as text.

    Parameters
    ----------
    raw : bytes
        The content of a file.
    encoding : str, optional
        Its encoding, if the user knows it.

    Returns
    -------
    Decoded
        UTF-8, or UTF-16 or UTF-32 with its mark, where it is that; UTF-16 without a mark where
        every other byte is empty; else what fits best.

    Raises
    ------
    LookupError
        If there is no such encoding.
    UnicodeDecodeError
        If the file is not in it.
    """
    if encoding is not None:
        return Decoded(raw.decode(encoding).removeprefix("\ufeff"), encoding)
    for mark, name in _MARKS:
        if raw.startswith(mark):
            return _as_far_as_it_goes(raw, name)
    without_mark = is_wide(raw)
    if without_mark:
        return _as_far_as_it_goes(raw, without_mark)
    try:
        if any(escape in raw for escape in _JAPANESE_ESCAPES):
            return Decoded(raw.decode("iso2022_jp"), "ISO-2022-JP")
        return Decoded(raw.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        return _likeliest(raw)


def _as_far_as_it_goes(raw: bytes, name: str) -> Decoded:
    """Decode what says its encoding; where it is damaged, that is not certain."""
    try:
        return Decoded(raw.decode(name), name)
    except UnicodeDecodeError:
        return Decoded(raw.decode(name, errors="replace"), name, certain=False)


def is_wide(raw: bytes) -> str:
    """Which UTF-16 without a mark this is, by the empty bytes of its ASCII letters; or nothing."""
    head = raw[:_HEAD_BYTES]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if min(even, odd) == 0 and max(even, odd) > len(head) / 5 and len(raw) % 2 == 0:
        return "utf-16-le" if odd else "utf-16-be"
    return ""


def _likeliest(raw: bytes) -> Decoded:
    sample = _telling_lines(raw)
    found = _ranked(sample, _CANDIDATES)
    if not found or found[0][0] > _MAKES_SENSE:
        better = [each for each in _ranked(sample, _RARE) if each[0] <= _MAKES_SENSE]
        found = [*better, *found]
    for strange, _, name in found:
        try:
            text = raw.decode(name)
        except UnicodeDecodeError:
            continue
        rivals = {
            sample.decode(other) for least, _, other in found if least <= strange + _MAKES_SENSE
        }
        certain = strange <= _MAKES_SENSE and len(rivals) == 1 and name in _CANDIDATES
        return Decoded(text, _called(name), certain)
    return Decoded(raw.decode("cp1252", errors="replace"), _called("cp1252"), certain=False)


def _ranked(sample: bytes, names: Sequence[str]) -> list[tuple[float, int, str]]:
    """Encodings by how strange the words are that they give."""
    found = []
    for order, name in enumerate(names):
        try:
            found.append((_strangeness(sample.decode(name), name), order, name))
        except UnicodeDecodeError:
            continue
    return sorted(found)


def _telling_lines(raw: bytes) -> bytes:
    """The first lines with bytes beyond ASCII."""
    lines: list[bytes] = []
    size = 0
    for line in raw.replace(b"\r", b"\n").split(b"\n"):
        if not line.isascii():
            lines.append(line)
            size += len(line)
            if size > _HEAD_BYTES:
                break
    return b"\n".join(lines)


def _called(name: str) -> str:
    return _NAMES.get(name) or (name.replace("cp", "Windows-") if name[:3] == "cp1" else name)


def _strangeness(text: str, encoding: str) -> float:
    """Share of the words with letters beyond ASCII that nobody would write."""
    plain = _TYPOGRAPHIC.sub("", text)
    words = dict.fromkeys(word for word in _words(plain) if not word.isascii())
    if not words:
        return -1.0 if plain.isascii() else 1.0
    signs = sum(not sign.isascii() and _is_odd(sign) for sign in text)
    strange = sum(_strange(word, encoding) for word in words) + signs
    return strange / len(words)


def _words(text: str) -> Iterator[str]:
    return (match.group() for match in _WORD.finditer(text))


def _is_odd(sign: str) -> bool:
    """A sign that stands in no table of names: a symbol, a control, an unassigned place."""
    kind = unicodedata.category(sign)
    return kind[0] in "CS" or (kind in _ODD_KINDS and sign not in "’‘´«»、・")


def _strange(word: str, encoding: str) -> float:
    scripts = {_script(letter) for letter in word}
    if len(scripts - {"kana", "han"}) > 1 or ("latin" in scripts and len(scripts) > 1):
        return 1.0
    script = scripts.pop()
    if script == "other":
        return 1.0
    if not (_UKRAINIAN.isdisjoint(word) or _RUSSIAN.isdisjoint(word)):
        return 1.0
    if script in ("cyrillic", "latin") and not _UNUSUAL.isdisjoint(word):
        return _UNUSUAL_STRANGENESS
    if script in ("han", "kana", "hangul"):
        return _uncommon(word, encoding)
    if any(letter.isupper() for letter in word[1:]) and not word.isupper():
        return 1.0
    if script != "latin":
        return 1.0 if len(word) > 3 and word.isupper() and encoding == "koi8_r" else 0.0
    accented = sum(not letter.isascii() for letter in word)
    return float(accented > max(1, _MOST_ACCENTED * len(word)))


def _uncommon(word: str, encoding: str) -> float:
    """Share of the characters that are rare in the encoding, as by chance."""
    if encoding in ("cp932", "euc_jp"):
        # half-width kana are what other encodings look like
        odd = sum("\uff61" <= sign <= "\uff9f" for sign in word)
        kana = any("\u3041" <= sign <= "\u30ff" for sign in word)
        return 0.3 * odd / len(word) if odd or kana else 0.3
    low, high = _COMMON[encoding]
    try:
        leads = [sign.encode(encoding)[0] for sign in word]
    except UnicodeEncodeError:
        return 1.0
    return sum(not low <= lead <= high for lead in leads) / len(leads)


_SCRIPTS = (
    ("LATIN", "latin"),
    ("CYRILLIC", "cyrillic"),
    ("GREEK", "greek"),
    ("CJK", "han"),
    ("HIRAGANA", "kana"),
    ("KATAKANA", "kana"),
    ("HALFWIDTH KATAKANA", "kana"),
    ("HANGUL", "hangul"),
)


def _script(letter: str) -> str:
    name = unicodedata.name(letter, "")
    return next((script for start, script in _SCRIPTS if name.startswith(start)), "other")
