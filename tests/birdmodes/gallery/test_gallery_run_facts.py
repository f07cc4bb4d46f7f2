from __future__ import annotations

import dataclasses
import os
from typing import Any

from birdmodes.gallery.words.explanations import repeat_commands
from birdmodes.gallery.words.run_facts import run_facts
from birdmodes.modes.clustering import Clustering


def _facts(case: Any, **parameters: object) -> dict[str, tuple[str, str]]:
    clustering: Clustering = dataclasses.replace(case.clustering, parameters=parameters)
    return {
        fact.label: (fact.value, fact.meaning) for fact in run_facts(case.workspace, clustering)
    }


def test_the_weight_of_the_constraints_is_told_also_where_nobody_set_it(case: Any) -> None:
    value, meaning = _facts(case, method="csp", k=4)["alpha"]
    assert value == "0.7 (default)"
    assert meaning.startswith("Weight of the bag constraints")
    assert _facts(case, method="csp", options={"alpha": 0.5})["alpha"][0] == "0.5"
    assert "alpha" not in _facts(case, method="ldc")  # it has none
    effective = _facts(case, method="csp", alpha_effective=0.123456)["alpha, effective"]
    assert effective[0] == "0.1235"


def test_how_the_number_of_clusters_came_about(case: Any) -> None:
    facts = _facts(case, method="ldc", k=5, k_from="auto", k_per_species={"Wren": 2, "Owl": 3})
    assert facts["K"] == ("5", "Clusters over all species, found for each species.")
    assert facts["K per species"][0] == "Wren 2, Owl 3"


def test_when_and_with_what(case: Any) -> None:
    model = case.workspace.folder / "clusterings" / case.clustering.name / "model.npz"
    status = model.stat()
    os.utime(model, (1_700_000_000, 1_700_000_000))  # 2023-11-14 22:13:20 UTC
    facts = _facts(case, birdmodes="0.1.0", libraries={"python": "3.12.1", "numpy": "2.4.0"})
    os.utime(model, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert facts["Date"][0].split() == ["2023-11-14", "22:13", "UTC"]
    assert facts["Made with"][0] == "birdmodes 0.1.0, python 3.12.1, numpy 2.4.0"


def test_a_run_of_another_version_is_shown_too(case: Any) -> None:
    facts = _facts(case, method="of tomorrow", options={"sharp": True}, extra=[1, 2])
    assert facts["Method"] == ("of tomorrow", "")
    assert facts["sharp"] == ("yes", "")
    assert facts["Extra"][0] == "[1, 2]"
    assert "Made with" not in facts


def test_corrections_are_told(case: Any) -> None:
    told = {"species_known": 7, "modes_known": 2}
    review = {"batches": [1, 3], "conflicts": 1}
    facts = _facts(case, method="ldc", with_review=told, review=review)
    assert facts["Corrections heeded"][0] == "species known 7, modes known 2"
    assert facts["Corrections applied"][0] == "2 batches"
    assert "1 edit did not fit any more" in facts["Corrections applied"][1]
    cluster, _ = repeat_commands("birdmodes-workspace", "x", {"method": "ldc", "with_review": told})
    assert cluster == "birdmodes cluster --method ldc --with-review --name x"
    assert "Corrections applied" not in _facts(case, review={"batches": [], "conflicts": 0})


def test_names_from_other_recordings_are_not_said_to_be_from_the_lists_of_these(case: Any) -> None:
    facts = _facts(case, method="ldc", assigned_from="ldc-k20")
    assert facts["Method"] == (
        "ldc",
        "Of other recordings; the syllables here were compared with their modes.",
    )
    assert facts["Assigned from"][0] == "ldc-k20"
    placed = {"assigned_from": "ldc-k20", "threshold": 0.5, "novelty": 1.0, "k": 20}
    assert repeat_commands("new", "ldc-k20", placed) == [
        "birdmodes assign RECORDINGS --workspace WORKSPACE --clustering ldc-k20 --threshold 0.5 "
        "--novelty 1",
        "birdmodes gallery --workspace new --clustering ldc-k20",
    ]
    annotated = {"annotated_by": "ldc", "min_score": 0.5, "learned_from": {"workspace": "/a b"}}
    assert repeat_commands("new", "x", annotated)[0] == (
        "birdmodes annotate RECORDINGS --workspace '/a b' --method ldc --min-score 0.5"
    )


def test_what_is_known_of_the_lists_is_in_words(case: Any) -> None:
    lists = {"present": 0.9163, "missing": 0.0, "always_together": [["Cicada", "Cisticola"]]}
    known = {"species_known": 17, "noise_known": 0, "not_of_species": 0, "modes_known": 1}
    facts = _facts(case, lists=lists, with_timed_labels=known, labels_digest="0d78c683251c172ebb08")
    assert facts["Lists"] == (
        "",
        "About 92 % of the species in your lists can be heard in them; Cicada or Cisticola: always "
        "listed together, so the lists cannot tell them apart.",
    )
    assert facts["Labels with times"][0] == "species known 17, modes known 1"
    assert facts["Digest of the lists"][0] == "0d78c683251c"
    assert not {"Labels digest", "With timed labels"} & facts.keys()
