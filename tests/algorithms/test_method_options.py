from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import pytest

from algorithms import METHODS, Bags, make_clusterer
from algorithms.base import InstanceClusterer
from algorithms.errors import OptionError
from algorithms.options import (
    SET_BY_COMMAND,
    find_method,
    method_options,
    parse_options,
)
from algorithms.registry import Method


class Later(InstanceClusterer):
    """A method with an option of every kind.

    Parameters
    ----------
    n_clusters, random_state, kernel_width
        See :class:`~algorithms.spectral.base.SpectralClusterer`.
    n_neighbors
        See :class:`~algorithms.spectral.csp.CSP`, which refers to another class.
    width : float
        Width of the ``kernel`` that :class:`~some.where.Base` puts
        on each instance.
    steps : int
        How many.
    limit : int or None
        How far; None for no end.
    mode : {"fast", 2}
        Which way.
    share : float or {"auto"}
        How much.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        random_state: int | None = 0,
        n_neighbors: int = 30,
        width: float = 0.25,
        steps: int = 3,
        limit: int | None = None,
        mode: Literal["fast", 2] = "fast",
        share: float | Literal["auto"] = "auto",
        quick: bool = False,
        title: str | None = "x",
        metric: Callable[..., float] = max,
    ) -> None:
        pass

    def fit(self, bags: Bags) -> Self:
        return self


class _LaterMethod(Method):
    def load(self) -> type[InstanceClusterer]:
        return Later


LATER = _LaterMethod("later", "instance", "", "A paper", "a summary")


def test_options_are_read_from_the_constructor() -> None:
    found = [(option.name, option.values, option.default) for option in method_options(LATER)]
    assert found == [
        ("n_neighbors", "a whole number", "30"),
        ("width", "a number", "0.25"),
        ("steps", "a whole number", "3"),
        ("limit", "a whole number or none", "none"),
        ("mode", "fast or 2", "fast"),
        ("share", "a number or auto", "auto"),
        ("quick", "true or false", "false"),
        ("title", "text or none", "x"),
        ("metric", "an object", str(max)),
    ]


def test_meanings_come_from_the_docstring_and_what_it_refers_to() -> None:
    options = {option.name: option for option in method_options(LATER)}
    assert options["n_neighbors"].meaning.startswith("Neighbours of each instance in a")
    assert options["limit"].meaning == "How far; None for no end."
    assert options["width"].meaning == "Width of the kernel that Base puts on each instance."
    assert options["title"].meaning == ""


@pytest.mark.parametrize(
    ("assignment", "value"),
    [
        ("width=1e-3", 0.001),
        ("width=2", 2.0),
        (" steps = -7 ", -7),
        ("limit=none", None),
        ("limit=12", 12),
        ("mode=fast", "fast"),
        ("mode=2", 2),
        ("share=auto", "auto"),
        ("share=0.5", 0.5),
        ("quick=Yes", True),
        ("quick=0", False),
        ("title=a=b", "a=b"),
        ("title=None", None),
    ],
)
def test_values_are_read_by_their_kind(assignment: str, value: Any) -> None:
    (read,) = parse_options(LATER, [assignment]).values()
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("assignments", "message"),
    [
        (["steps=2.5"], "steps must be a whole number, not '2.5'"),
        (["limit=far"], "limit must be a whole number or none, not 'far'"),
        (["mode=slow"], "mode must be fast or 2, not 'slow'"),
        (["quick=perhaps"], "quick must be true or false, not 'perhaps'"),
        (["widht=1"], r"no option 'widht' \(did you mean 'width'\?\).*width, steps, limit"),
        (["zzz=1"], "no option 'zzz'; its options are: n_neighbors, width"),
        (["n_clusters=3"], "n_clusters is set with --k"),
        (["clusters_per_class=3"], "clusters_per_class is set with --k-per-species"),
        (["random_state=3"], "random_state is set with --seed"),
        (["metric=max"], "metric can only be set from Python"),
        (["steps"], "--set steps: write NAME=VALUE"),
        (["=3"], "--set =3: write NAME=VALUE"),
        (["steps=1", "steps=2"], "steps is given twice"),
    ],
)
def test_mistakes_are_one_line_that_says_what_to_do(assignments: list[str], message: str) -> None:
    with pytest.raises(OptionError, match=message) as caught:
        parse_options(LATER, assignments)
    assert "\n" not in str(caught.value)


def test_methods_of_the_same_kind_that_have_an_option_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    csp = METHODS["csp"]
    monkeypatch.setitem(METHODS, "flocks", _LaterMethod("flocks", "bag", "", "", ""))
    with pytest.raises(OptionError, match="csp has no option 'width'; its options are"):
        parse_options(csp, ["width=1"])
    monkeypatch.setitem(METHODS, "later", LATER)
    with pytest.raises(OptionError, match=r"\(width is an option of later: use --method later\)"):
        parse_options(csp, ["width=1"])


def test_nothing_set_is_nothing_changed() -> None:
    assert parse_options(LATER, []) == {}


@pytest.mark.parametrize("name", METHODS)
def test_every_method_can_be_explained_and_its_defaults_typed(name: str) -> None:
    options = method_options(METHODS[name])
    assert not {option.name for option in options} & set(SET_BY_COMMAND)
    defaults = make_clusterer(name).get_params()
    for option in options:
        assert option.meaning, option.name
        if option.parse is not None:
            typed = parse_options(METHODS[name], [f"{option.name}={option.default}"])
            assert typed == {option.name: defaults[option.name]}


def test_methods_are_found_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(METHODS, "flocks", Method("flocks", "bag", "", "A paper", "a summary"))
    assert find_method("csp").name == "csp"
    assert find_method("flocks").kind == "bag"
    with pytest.raises(OptionError, match=r"no method 'CPS' \(did you mean 'csp'\?\)"):
        find_method("CPS")
    with pytest.raises(
        OptionError,
        match=r"no method 'zzzzz'; there are, for syllables: sp, .*; for whole .*flocks",
    ):
        find_method("zzzzz")
