"""Raw files: present, missing, damaged, downloaded from a server on this machine."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Any

import pytest

from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets import (
    DATASETS,
    DatasetInfo,
    RawFile,
    data_folder,
    dataset_info,
    fetch_dataset,
    load_dataset,
)
from birdmodes.experiments.datasets.store import has_files, obtain_files

CONTENT = {"one.bin": b"first", "two.bin": b"second"}


def make_info(**changes: Any) -> DatasetInfo:
    files = tuple(
        RawFile("someone/things", "c0ffee", f"data/{name}", f"small/raw/things/{name}", digest)
        for name, digest in (
            (name, hashlib.sha256(content).hexdigest()) for name, content in CONTENT.items()
        )
    )
    values: dict[str, Any] = {
        "name": "small",
        "title": "two small files",
        "n_bags": 1,
        "n_instances": 1,
        "n_features": 1,
        "n_classes": 1,
        "n_single_label": 1,
        "origin": "",
        "citation": "",
        "terms": "",
        "builder": "",
        "files": files,
    }
    return DatasetInfo(**{**values, **changes})


def publish(server: Any, **content: bytes) -> None:
    folder = server.folder / "someone/things/c0ffee/data"
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in content.items():
        (folder / f"{name}.bin").write_bytes(data)


def test_files_are_downloaded_to_their_places(file_server: Any, tmp_path: Path) -> None:
    publish(file_server, one=b"first", two=b"second")
    seen = []
    folder = fetch_dataset(make_info(), tmp_path / "data", lambda *at: seen.append(at))
    assert folder == tmp_path / "data"
    for name, content in CONTENT.items():
        assert (folder / "small/raw/things" / name).read_bytes() == content
    assert file_server.asked == [f"/someone/things/c0ffee/data/{name}" for name in CONTENT]
    assert seen == [(1, 2, "small/raw/things/one.bin"), (2, 2, "small/raw/things/two.bin")]


def test_a_fetch_that_broke_off_goes_on_where_it_was(file_server: Any, tmp_path: Path) -> None:
    publish(file_server, one=b"first")
    with pytest.raises(DatasetError, match=r"two\.bin: cannot be downloaded \(HTTP 404\)"):
        fetch_dataset(make_info(), tmp_path / "data")
    publish(file_server, two=b"second")
    file_server.asked.clear()
    fetch_dataset(make_info(), tmp_path / "data")
    assert file_server.asked == ["/someone/things/c0ffee/data/two.bin"]


def test_what_is_not_the_published_file_is_refused_and_not_kept(
    file_server: Any, tmp_path: Path
) -> None:
    publish(file_server, one=b"first", two=b"something else")
    digest = hashlib.sha256(b"second").hexdigest()
    with pytest.raises(DatasetError, match=rf"two\.bin: not the published file .*{digest}"):
        fetch_dataset(make_info(), tmp_path / "data")
    assert [path.name for path in (tmp_path / "data/small/raw/things").iterdir()] == ["one.bin"]


def test_a_damaged_file_is_named_and_fetched_anew(file_server: Any, tmp_path: Path) -> None:
    publish(file_server, one=b"first", two=b"second")
    folder = fetch_dataset(make_info(), tmp_path / "data")
    (folder / "small/raw/things/two.bin").write_bytes(b"sec")
    with pytest.raises(DatasetError, match=r"two\.bin: not the published file of small .*fetch"):
        obtain_files(make_info(), folder)
    fetch_dataset(make_info(), folder)
    assert obtain_files(make_info(), folder) == folder


def test_without_a_network_one_line_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Nobody listens at port 9.
    monkeypatch.setattr("birdmodes.experiments.datasets.catalogue.ADDRESS", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with pytest.raises(DatasetError) as caught:
        fetch_dataset(make_info(), tmp_path / "data")
    text = str(caught.value)
    assert "no connection" in text
    assert str(tmp_path / "data/small/raw/things/one.bin") in text
    assert "\n" not in text


def test_a_named_folder_is_never_filled_behind_the_back(file_server: Any, tmp_path: Path) -> None:
    publish(file_server, one=b"first", two=b"second")
    remedy = re.escape(f"birdmodes datasets fetch small --data-dir {tmp_path}")
    with pytest.raises(DatasetError, match=rf"one\.bin: small needs this file.*{remedy}"):
        obtain_files(make_info(), tmp_path)
    assert file_server.asked == []


def test_the_cache_folder_is_filled_when_needed(
    file_server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(file_server, one=b"first", two=b"second")
    monkeypatch.setattr("pooch.os_cache", lambda project: tmp_path / "cache" / project)
    assert not has_files(make_info())
    assert obtain_files(make_info()) == tmp_path / "cache" / "birdmodes"
    assert has_files(make_info())


def test_a_given_folder_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIRDMODES_DATA", "from-environment")
    assert data_folder() == Path("from-environment")
    assert data_folder("given") == Path("given")
    monkeypatch.setenv("BIRDMODES_DATA", "")
    assert data_folder().name == "birdmodes"


def test_load_dataset_says_which_file_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BIRDMODES_DATA", str(tmp_path))
    with pytest.raises(DatasetError, match=re.escape(f"msrc-v2{os.sep}raw")):
        load_dataset("msrc-v2")


def test_addresses_are_pinned_to_a_commit() -> None:
    for info in DATASETS.values():
        for file in info.files:
            assert re.fullmatch("[0-9a-f]{40}", file.commit)
            assert re.fullmatch("[0-9a-f]{64}", file.sha256)
            assert file.address.startswith(
                f"https://raw.githubusercontent.com/{file.repository}/{file.commit}/"
            )
            assert not file.local.startswith("/")
            assert info.name.startswith(file.local.split("/")[0])


def test_a_misspelt_name_gets_the_nearest() -> None:
    with pytest.raises(DatasetError, match=r"'letter-forst' \(did you mean 'letter-frost'\?\)"):
        dataset_info("letter-forst")
    with pytest.raises(DatasetError, match=r"choose one of hja-birdsong, .*digits-words"):
        load_dataset("xyz")
