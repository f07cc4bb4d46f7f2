from __future__ import annotations

import csv
from pathlib import Path

import openpyxl
import pytest

from birdmodes.audio.find import RecordingFile
from birdmodes.errors import LabelError
from birdmodes.labels import fit_labels
from birdmodes.labels.taxonomy import OtherName, Taxon, read_taxonomy

EBIRD = """TAXON_ORDER,CATEGORY,SPECIES_CODE,PRIMARY_COM_NAME,SCI_NAME,ORDER1,FAMILY
1,species,eurrob1,European Robin,Erithacus rubecula,Passeriformes,Muscicapidae
2,species,coatit2,Coal Tit,Periparus ater,Passeriformes,Paridae
3,species,winwre4,Eurasian Wren,Troglodytes troglodytes,Passeriformes,Troglodytidae
"""
IOC = """Seq;Order;IOC_15.1;English;German;French
1;PASSERIFORMES;Erithacus rubecula;European Robin;Rotkehlchen;Rougegorge familier
2;PASSERIFORMES;Periparus ater;Coal Tit;Tannenmeise;Mésange noire
3;PASSERIFORMES;Troglodytes troglodytes;Eurasian Wren;Zaunkönig;Troglodyte mignon
"""


def table(folder: Path, text: str) -> Path:
    path = folder / "names.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_ebird_s_table_knows_species_by_name_scientific_name_and_code(tmp_path: Path) -> None:
    taxonomy = read_taxonomy(table(tmp_path, EBIRD))
    robin = Taxon("Erithacus rubecula", "European Robin")
    for name in ("european  ROBIN", "Erithacus rubecula", "eurrob1"):
        assert taxonomy.get(name) == robin
    assert taxonomy.get("Passeriformes") is None  # what many species share names none
    assert taxonomy.get("Firecrest") is None
    assert len(taxonomy) == 3


def test_ioc_s_table_gives_names_in_the_language_asked_for(tmp_path: Path) -> None:
    path = table(tmp_path, IOC)
    taxonomy = read_taxonomy(path, "german")
    wren = Taxon("Troglodytes troglodytes", "Zaunkönig")
    for name in ("Eurasian Wren", "Troglodyte mignon", "zaunkönig"):
        assert taxonomy.get(name) == wren
    assert wren.beside("Eurasian Wren") == [
        OtherName("Troglodytes troglodytes", True),
        OtherName("Zaunkönig", False),
    ]
    assert wren.beside("Zaunkönig") == [OtherName("Troglodytes troglodytes", True)]
    assert read_taxonomy(path).get("Rotkehlchen") == Taxon("Erithacus rubecula", "European Robin")
    with pytest.raises(LabelError, match=r"no column 'Danish'.*English, German, French"):
        read_taxonomy(path, "Danish")


def test_a_name_of_two_species_tells_neither(tmp_path: Path) -> None:
    text = "latin,local\nParus major,tit\nPeriparus ater,tit\nErithacus rubecula,robin\n"
    text += "Turdus merula,blackbird\nSitta europaea,nuthatch\n"
    taxonomy = read_taxonomy(table(tmp_path, text))
    assert taxonomy.get("tit") is None
    assert taxonomy.get("robin") == Taxon("Erithacus rubecula", "robin")


def test_a_table_without_scientific_names_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LabelError, match="no column of scientific names"):
        read_taxonomy(table(tmp_path, "name,code\nRobin,r1\nWren,w1\n"))


def test_labels_in_any_language_and_by_code_are_of_one_species(tmp_path: Path) -> None:
    taxonomy = table(tmp_path, IOC)
    names = ["Rotkehlchen", "Erithacus rubecula", "European Robin;Mésange noire", "Jay"]
    rows = [f"{number}.wav,{name}" for number, name in enumerate(names)]
    labels = tmp_path / "labels.csv"
    labels.write_text("recording,species\n" + "\n".join(rows) + "\n", encoding="utf-8")
    recordings = [RecordingFile(f"{n}.wav", tmp_path / f"{n}.wav", tmp_path) for n in range(4)]
    fitted = fit_labels(recordings, labels, taxonomy=taxonomy, language="German")
    assert fitted.species == {
        "0.wav": ("Rotkehlchen",),
        "1.wav": ("Rotkehlchen",),
        "2.wav": ("Rotkehlchen", "Tannenmeise"),
        "3.wav": ("Jay",),  # not in the table: as it is
    }
    assert fitted.request is not None
    assert fitted.request.taxonomy == str(taxonomy)


MASTER = ["Infraclass", "Parvclass", "Order", "Family (Scientific)", "Family (English)", "Genus",
          "Species (Scientific)", "Subspecies", "Authority", "Species (English)",
          "Breeding Range", "Code", "Comment"]  # fmt: skip
RANKS = [
    {"Infraclass": "NEOGNATHAE"},
    {"Order": "PASSERIFORMES"},
    {"Family (Scientific)": "Muscicapidae", "Family (English)": "Chats, Old World Flycatchers"},
    {"Genus": "Erithacus", "Authority": "Cuvier, 1800"},
    {"Species (Scientific)": "rubecula", "Authority": "(Linnaeus, 1758)",
     "Species (English)": "European Robin", "Breeding Range": "EU"},
    {"Subspecies": "melophilus", "Authority": "Hartert, 1901", "Breeding Range": "British Is."},
    {"Subspecies": "rubecula", "Authority": "(Linnaeus, 1758)", "Breeding Range": "w Europe"},
    {"Family (Scientific)": "Troglodytidae", "Family (English)": "Wrens"},
    {"Genus": "Troglodytes", "Authority": "Vieillot, 1809"},
    {"Species (Scientific)": "aedon", "Species (English)": "Northern House Wren"},
    {"Species (Scientific)": "† beani", "Species (English)": "Cozumel Wren"},
]  # fmt: skip
"""A row for each rank, as in IOC's master list; what stood above is left out."""


def sheets(path: Path, **content: list[list[str]]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in content.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def master_rows() -> list[list[str]]:
    title = [["IOC World Bird List", "", "v15.1"], ["Gill, F and D Donsker (Eds)."], []]
    return [*title, MASTER, *([row.get(name, "") for name in MASTER] for row in RANKS)]


@pytest.mark.parametrize("ending", ["xlsx", "csv"])
def test_ioc_s_master_list_has_genus_and_species_in_rows_of_their_own(
    tmp_path: Path, ending: str
) -> None:
    path = tmp_path / f"master.{ending}"
    if ending == "xlsx":
        sheets(path, Master=master_rows(), Notes=[["a", "b"]])
    else:
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(master_rows())
    taxonomy = read_taxonomy(path)
    robin = Taxon("Erithacus rubecula", "European Robin")
    assert taxonomy.get("European Robin") == taxonomy.get("Erithacus rubecula") == robin
    assert taxonomy.get("Northern House Wren") == Taxon("Troglodytes aedon", "Northern House Wren")
    assert taxonomy.get("Troglodytes beani") == Taxon("Troglodytes beani", "Cozumel Wren")
    assert len(taxonomy) == 3  # no subspecies, genera or families
    assert taxonomy.get("Muscicapidae") is None


def test_ioc_s_multilingual_list_has_a_column_for_each_language(tmp_path: Path) -> None:
    rows = [
        ["Seq", "Order", "Family", "IOC_15.1", "English", "Catalan", "Chinese", "German", "Dutch"],
        ["1", "PASSERIFORMES", "Paridae", "Parus major", "Great Tit", "", "大山雀", "Kohlmeise",
         "Koolmees"],
        ["2", "PASSERIFORMES", "Paridae", "Periparus ater", "Coal Tit", "Mallerenga petita",
         "煤山雀", "Tannenmeise", "Zwarte Mees"],
        ["3", "PASSERIFORMES", "Remizidae", "Remiz pendulinus", "Penduline", *3 * [""],
         "Great Tit"],
    ]  # fmt: skip
    path = sheets(tmp_path / "Multiling IOC.xlsx", List=rows, Sources=[["Dutch", "a book"]])
    great = Taxon("Parus major", "Kohlmeise")
    assert read_taxonomy(path, "German").get("大山雀") == great
    # English is asked for, or taken for granted: a Dutch name does not make it doubtful.
    assert read_taxonomy(path).get("Great Tit") == Taxon("Parus major", "Great Tit")
    assert read_taxonomy(path, "Catalan").get("Coal Tit") == Taxon(
        "Periparus ater", "Mallerenga petita"
    )
    # In Catalan nothing is called so, and in two other languages two species are.
    assert read_taxonomy(path, "Catalan").get("Great Tit") is None
    with pytest.raises(LabelError, match="no column 'Danish'"):
        read_taxonomy(path, "Danish")
