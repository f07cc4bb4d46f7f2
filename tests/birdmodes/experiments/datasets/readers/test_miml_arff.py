"""Natural scenes and news: bags in ARFF."""

from __future__ import annotations

from pathlib import Path

import pytest

from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets.readers.miml_arff import read_miml_arff

HEADER = r"""% by hand
@relation small

@attribute id {1,2}
@attribute bag relational
  @attribute f1 numeric
  @ATTRIBUTE f2 NUMERIC
@end bag
@attribute desert {0,1}
@attribute sea {0, 1}
"""
DATA = r"""
@data
1,"0.5,1\n-2,3e1",0,1
% a remark
2,"4,5",1,1
"""


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_cell_holds_the_instances_of_a_bag(tmp_path: Path) -> None:
    bags, y = read_miml_arff(write(tmp_path / "bags.arff", HEADER + DATA))
    assert bags.X.tolist() == [[0.5, 1], [-2, 30], [4, 5]]
    assert bags.bag.tolist() == [0, 0, 1]
    assert bags.labels.astype(int).tolist() == [[0, 1], [1, 1]]
    assert bags.class_names == ("desert", "sea")
    assert y.tolist() == [-1, -1, -1]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (DATA, "", "no line @data"),
        (DATA, "@data", "no bags after @data"),
        ("@end bag\n", "", "line 8: desert cannot be of the kind '{0,1}'"),
        ("@attribute bag relational\n", "", "line 7: '@end bag' does not belong before @data"),
        ("f1 numeric", "f1 string", "line 6: f1 cannot be of the kind 'string'"),
        ("desert {0,1}", "desert {a,b}", "line 9: desert cannot be of the kind '{a,b}'"),
        ("desert {0,1}", "sea {0,1}", "line 10: a second sea"),
        ("f2 NUMERIC", "f1 NUMERIC", "line 7: a second f1"),
        ("@relation small", "relation", "line 2: 'relation' does not belong before @data"),
        ("@attribute desert {0,1}\n@attribute sea {0, 1}\n", "", "line 10: @data comes before"),
        ('1,"0.5,1', "1,0.5,1", "line 13: not a bag's name, its instances between quotes"),
        ("2,", "1,", "line 15: a second bag 1"),
        ('"4,5"', '"4"', "line 15: instance 1 has 1 features, not 2"),
        ('"4,5"', '"4,5,6"', "line 15: instance 1 has 3 features, not 2"),
        ('"4,5"', '""', "line 15: instance 1 has 1 features, not 2"),
        (r"\n-2", r"\n\n-2", "line 13: instance 2 has 1 features, not 2"),
        ('"4,5"', '"4,five"', "line 15: 'five' is not a number"),
        ('"4,5"', '"4,?"', "line 15: '\\?' is not a number"),
        ('"4,5",1,1', '"4,5",1', "line 15: the labels are not 2 times 0 or 1"),
        ('"4,5",1,1', '"4,5",1,2', "line 15: the labels are not 2 times 0 or 1"),
        ('"4,5",1,1', '"4,5",1,1,0', "line 15: the labels are not 2 times 0 or 1"),
    ],
)
def test_lines_that_cannot_be_understood_are_named(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    text = HEADER + DATA
    assert old in text
    path = write(tmp_path / "a.arff", text.replace(old, new))
    with pytest.raises(DatasetError, match=message) as told:
        read_miml_arff(path)
    assert str(told.value).startswith(str(path))
    assert "\n" not in str(told.value)
