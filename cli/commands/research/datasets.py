"""``birdmodes datasets``: the public data sets, what they are and where their files are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import console, options

if TYPE_CHECKING:
    from birdmodes.experiments.datasets.catalogue import DatasetInfo
    from birdmodes.experiments.datasets.miml import MIMLDataset

MOST_NAMES = 40
"""More classes than that are not all named."""

app = typer.Typer(help="Data sets of the papers: list, fetch, info.", no_args_is_help=True)


@app.command("list")
def list_datasets(data_dir: options.DataDir = None, json: options.Json = False) -> None:
    """List the data sets and say which are on this machine."""
    from birdmodes.experiments.datasets.catalogue import DATASETS
    from birdmodes.experiments.datasets.store import data_folder, has_files

    if json:
        console.print_json([_content(each, data_dir) for each in DATASETS.values()])
        return
    rows = []
    for info in DATASETS.values():
        here = "here" if has_files(info, data_dir) else "to be fetched"
        counts = (
            info.n_bags,
            info.n_single_label,
            info.n_instances,
            info.n_features,
            info.n_classes,
        )
        numbers = [f"{count:,}" for count in counts]
        rows.append((info.name, *numbers, here if info.files else "built in", info.title))
    header = (
        "data set",
        "bags",
        "single-label",
        "instances",
        "features",
        "classes",
        "files",
        "what it is",
    )
    console.table(header, rows, numeric=range(1, 6))
    console.say()
    console.say(f"files: {data_folder(data_dir)}")


def _content(info: DatasetInfo, data_dir: Path | None) -> dict[str, Any]:
    from birdmodes.experiments.datasets.store import data_folder, has_files

    return {
        "name": info.name,
        "title": info.title,
        "bags": info.n_bags,
        "single_label_bags": info.n_single_label,
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
    from birdmodes.experiments.datasets.catalogue import dataset_info
    from birdmodes.experiments.datasets.store import fetch_dataset

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
    from birdmodes.experiments.datasets.catalogue import dataset_info
    from birdmodes.experiments.datasets.miml import load_dataset
    from birdmodes.experiments.datasets.store import data_folder, has_files

    found = dataset_info(name)
    folder = data_folder(data_dir)
    console.say(f"{found.name}: {found.title}")
    console.say()
    for count, noun in (
        (found.n_bags, "bags"),
        (found.n_single_label, "single-label bags"),
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
    _print_problems(found.name)
    console.say()
    _print_files(folder, [file.local for file in found.files])
    if not here:
        console.say(f"to download them: birdmodes datasets fetch {found.name}")


def _figure(noun: str, value: str) -> None:
    console.say(f"  {noun:<20} {value}")


def _print_figures(dataset: MIMLDataset) -> None:
    _figure("labels per bag", f"{dataset.labels_per_bag:.2f}")
    _figure("instances per bag", f"{dataset.instances_per_bag:.2f}")
    _figure("of unknown class", console.plural(int((dataset.y < 0).sum()), "instance"))
    names = dataset.bags.class_names
    rest = f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
    console.paragraph(f"class names: {', '.join(names[:MOST_NAMES])}{rest}", indent=2)


def _print_problems(dataset: str) -> None:
    """List what the bags of a set are grouped by in the benchmark, if they are."""
    from birdmodes.experiments.datasets.bag_problem_table import BAG_PROBLEMS

    problems = [each for each in BAG_PROBLEMS.values() if each.dataset == dataset]
    if not problems:
        return
    console.say()
    console.say("bags of a single class, to be grouped:")
    for problem in problems:
        classes = ", ".join(problem.classes)
        console.paragraph(f"{problem.name}: {classes} ({problem.why})", indent=2)


def _print_files(folder: Path, files: list[str]) -> None:
    from birdmodes.experiments.datasets.raw_files import stored_path

    if not files:
        console.say("files: none, the data set is built in")
        return
    console.say(f"files in {folder}:")
    for file in files:
        stored = stored_path(folder / file)
        place = stored.relative_to(folder).as_posix() if stored else f"{file}  (not here)"
        console.say(f"  {place}")
