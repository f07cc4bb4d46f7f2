"""``birdmodes datasets``: the public data sets, what they are and where their files are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from birdmodes.datasets.catalogue import DATASETS, dataset_info
from cli import console
from cli.commands import options

if TYPE_CHECKING:
    from birdmodes.datasets.catalogue import DatasetInfo
    from birdmodes.datasets.miml import MIMLDataset

app = typer.Typer(help="Data sets of the papers: list, fetch, info.", no_args_is_help=True)


@app.command("list")
def list_datasets(data_dir: options.DataDir = None, json: options.Json = False) -> None:
    """List the data sets and say which are on this machine."""
    from birdmodes.datasets.store import data_folder, has_files

    if json:
        console.print_json([_content(each, data_dir) for each in DATASETS.values()])
        return
    rows = []
    for info in DATASETS.values():
        here = "here" if has_files(info, data_dir) else "to be fetched"
        counts = (info.n_bags, info.n_instances, info.n_features, info.n_classes)
        numbers = [f"{count:,}" for count in counts]
        rows.append((info.name, *numbers, here if info.files else "built in", info.title))
    header = ("data set", "bags", "instances", "features", "classes", "files", "what it is")
    console.table(header, rows, numeric=(1, 2, 3, 4))
    console.say()
    console.say(f"files: {data_folder(data_dir)}")


def _content(info: DatasetInfo, data_dir: Path | None) -> dict[str, Any]:
    from birdmodes.datasets.store import data_folder, has_files

    return {
        "name": info.name,
        "title": info.title,
        "bags": info.n_bags,
        "instances": info.n_instances,
        "features": info.n_features,
        "classes": info.n_classes,
        "built_in": not info.files,
        "here": has_files(info, data_dir),
        "folder": str(data_folder(data_dir)),
    }


@app.command("fetch")
def fetch(
    names: Annotated[list[str], typer.Argument(metavar="NAME", help="Data sets to download.")],
    data_dir: options.DataDir = None,
) -> None:
    """Download data sets, each file once; safe to stop and to repeat."""
    from birdmodes.datasets.store import fetch_dataset

    for info in [dataset_info(name) for name in names]:
        if not info.files:
            console.say(f"{info.name}: built in, nothing to fetch")
            continue
        try:
            with console.progress(f"fetching {info.name}") as advance:
                folder = fetch_dataset(info, data_dir, on_progress=advance)
        except KeyboardInterrupt:
            console.say("stopped; nothing is lost: the same command goes on from here")
            raise typer.Exit(130) from None
        console.say(f"{info.name}: {console.plural(len(info.files), 'file')} in {folder}")


@app.command("info")
def info(
    name: Annotated[str, typer.Argument(help="The data set.", show_default=False)],
    data_dir: options.DataDir = None,
) -> None:
    """Say what a data set holds, where it comes from and what to cite."""
    from birdmodes.datasets.load import load_dataset
    from birdmodes.datasets.store import data_folder, has_files

    found = dataset_info(name)
    folder = data_folder(data_dir)
    console.say(f"{found.name}: {found.title}")
    console.say()
    for count, noun in (
        (found.n_bags, "bags"),
        (found.n_instances, "instances"),
        (found.n_features, "features"),
        (found.n_classes, "classes"),
    ):
        _figure(noun, f"{count:,}")
    here = has_files(found, data_dir)
    if here:
        # The folder is named, so that nothing is downloaded only to look at it.
        _print_figures(load_dataset(name, folder))
    for title, text in (("origin", found.origin), ("cite", found.citation), ("use", found.terms)):
        console.say()
        console.paragraph(f"{title}: {text}")
    console.say()
    _print_files(folder, [file.local for file in found.files])
    if not here:
        console.say(f"to download them: birdmodes datasets fetch {found.name}")


def _figure(noun: str, value: str) -> None:
    console.say(f"  {noun:<20} {value}")


def _print_figures(dataset: MIMLDataset) -> None:
    _figure("single-label bags", f"{dataset.single_label_bags:,}")
    _figure("labels per bag", f"{dataset.labels_per_bag:.2f}")
    _figure("instances per bag", f"{dataset.instances_per_bag:.2f}")
    _figure("of unknown class", console.plural(int((dataset.y < 0).sum()), "instance"))
    console.paragraph(f"class names: {', '.join(dataset.bags.class_names)}", indent=2)


def _print_files(folder: Path, files: list[str]) -> None:
    if not files:
        console.say("files: none, the data set is built in")
        return
    console.say(f"files in {folder}:")
    for file in files:
        console.say(f"  {file}" + ("" if (folder / file).is_file() else "  (not here)"))
