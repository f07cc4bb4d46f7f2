"""Encodings of tables with few words; which of them are certain."""

from __future__ import annotations

import pytest

from birdmodes.io.encodings import decode

# Names of birds as people there write them, and the encoding that their spreadsheets save.
WRITTEN = [
    ("Datei,Art\na.wav,Mönchsgrasmücke\nb.wav,Grünfink\n", "cp1252"),
    ("fichier;espèce\na.wav;Mésange bleue\nb.wav;Chouette chevêche\n", "cp1252"),
    ("a.wav,Gärdsmyg\nb.wav,Rödhake\nc.wav,Blåmes\n", "cp1252"),
    ("a.wav,Cigüeña blanca\nb.wav,Búho real\n", "cp1252"),
    ("a.wav,Łabędź niemy\nb.wav,Śpiewak\nc.wav,Dzięcioł duży\n", "cp1250"),
    ("a.wav,Зарянка\nb.wav,Крапивник\n", "cp1251"),
    ("a.wav,Зарянка\nb.wav,Крапивник\n", "koi8_r"),
    ("a.wav,Κότσυφας\nb.wav,Σπίνος\n", "cp1253"),
    ("fichier,espèce\na.wav,Mésange à tête noire\n", "mac_roman"),
    ("録音,種\na.wav,ウグイス\nb.wav,メジロ\n", "cp932"),
    ("a.wav,コマドリ\nb.wav,オオルリ\n", "euc_jp"),
    ("录音,物种\na.wav,白头鹎\nb.wav,红嘴蓝鹊\n", "gb18030"),
    ("a.wav,紅嘴黑鵯\nb.wav,五色鳥\n", "big5"),
    ("a.wav,꾀꼬리\nb.wav,뻐꾸기\nc.wav,박새\n", "cp949"),
    ("a.wav,Cooper’s Hawk\nb.wav,Swainson’s Thrush\n", "cp1252"),
    ("a.wav,Cooper’s Hawk\nb.wav,Swainson’s Thrush\n", "mac_roman"),
    ("a.wav,ウグイス\nb.wav,メジロ\n", "iso2022_jp"),
    # old ones, which are guesses
    ("a.wav,Grünspecht\nb.wav,Kleiber, groß\nc.wav,Häher\n", "cp850"),
    ("a.wav,Зарянка\nb.wav,Большая синица\n", "cp866"),
]


@pytest.mark.parametrize(("text", "encoding"), WRITTEN, ids=[name for _, name in WRITTEN])
def test_names_of_birds_are_read(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [("a.wav,ｽｽﾞﾒ\n", "cp932"), ("a.wav,鶯\n", "cp932"), ("a.wav,雀\nb.wav,山雀\n", "euc_jp")],
)
def test_few_letters_are_a_guess_at_best(text: str, encoding: str) -> None:
    assert not decode(text.encode(encoding)).certain


def test_what_could_be_something_else_is_not_certain() -> None:
    assert decode("a.wav,Grasmücke\n".encode("cp1252")).certain
    assert decode("a.wav,Обыкновенная кукушка\n".encode("cp1251")).certain
    # an e with a grave accent is a c with a caron in the next code page
    french = decode("a.wav,Alouette lulu, chant bref\nb.wav,Grèbe\n".encode("cp1252"))
    assert not french.certain
    czech = decode("a.wav,Červenka\n".encode("cp1250"))
    assert not czech.certain


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
def test_unicode_is_certain(encoding: str) -> None:
    found = decode("recording,species\na.wav,Grasmücke\n".encode(encoding))
    assert found.text == "recording,species\na.wav,Grasmücke\n"
    assert found.certain


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_unicode_that_is_cut_off_is_not_certain(encoding: str) -> None:
    raw = "recording,species\na.wav,Grasmücke".encode(encoding)
    found = decode(raw[:-1])
    assert found.text.startswith("recording,species\na.wav,Grasm")
    assert not found.certain


def test_the_encoding_that_was_named_is_used() -> None:
    raw = "a.wav,Červenka\n".encode("cp1250")
    assert decode(raw, "cp1250").text == "a.wav,Červenka\n"
    with pytest.raises(UnicodeDecodeError):
        decode(raw, "utf-8")
    with pytest.raises(LookupError):
        decode(raw, "klingon")


def test_any_bytes_are_some_text() -> None:
    found = decode(bytes(range(1, 256)))
    assert found.text.startswith("\x01")
    assert not found.certain
