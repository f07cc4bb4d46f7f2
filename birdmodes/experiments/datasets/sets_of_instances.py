"""Entries of the data sets on which clustering of *instances* is compared: their classes are known.

These are the sets of Briggs, Fern & Raich 2012, and one that is built in.
"""

from __future__ import annotations

from birdmodes.experiments.datasets.entry import NO_TERMS, DatasetInfo, RawFile

_PARTIAL_LABELS = (
    "pruirui/partial_label_realworld_dataset",
    "a43c823f1cf2575e7fc74bcdfc307463e0bd44bd",
)
_MILPY = ("jmarrietar/MILpy", "79fef5dd2726e5ca32955e17ff925dae0e2a9986")
_SMAI = ("shreyam4/SMAI-Project", "35fe201d0989dd16866ca6fb7f1db193a67d8946")
_CEM = ("maijing274/CEM_AL_VOF", "7995538caf4d7dfb57258b49f71d94a8d75ba623")

_RANK_LOSS = (
    "Briggs, Fern & Raich, Rank-loss support instance machines for MIML instance annotation, "
    "KDD 2012"
)
_HJA_FILES = (
    RawFile(
        *_MILPY,
        path="data/birds_BRCR_original/X.mat",
        local="hja-birdsong/raw/MILpy/birds_BRCR_original/X.mat",
        sha256="7b544eb39a593601319545a3f7c1f805ce5284960cfb0afc755e2764882c7dcc",
    ),
    RawFile(
        *_MILPY,
        path="data/birds_BRCR_original/Bag2.mat",
        local="hja-birdsong/raw/MILpy/birds_BRCR_original/Bag2.mat",
        sha256="cfbc9853d7776480c9134d378212e44c7b2f257eeeba48d060426a4ef795b3c6",
    ),
    RawFile(
        *_PARTIAL_LABELS,
        path="BirdSong.mat",
        local="hja-birdsong/raw/partial_label_realworld_dataset/BirdSong.mat",
        sha256="2170d46765a151ac80623d9a1242e0299802236e5574442bdb596bef90f50743",
    ),
)
_HJA_ORIGIN = (
    "Ten-second recordings (bags) of the birds of H. J. Andrews forest, Oregon; an instance is a "
    "segment of the spectrogram with the 38 features that 'birdmodes segment' measures too. "
    "Bags and segments come from one public copy, the species of the segments from another; they "
    "are joined by the features, which agree to the five digits that the second one gives. "
)
_LETTERS_ORIGIN = (
    "of words (bags); an instance is a letter, drawn without replacement from the UCI letter "
    "recognition data (16 features, 0 to 15). The letters that occur are the classes, in "
    "alphabetical order; the public copy does not name its columns, and they were named by "
    "looking the instances up in the UCI data."
)

SETS = (
    DatasetInfo(
        name="hja-birdsong",
        title="bird recordings of H. J. Andrews forest, identified segments",
        n_bags=548,
        n_instances=4998,
        n_features=38,
        n_classes=13,
        n_single_label=199,
        origin=_HJA_ORIGIN + "Only the segments whose species is known.",
        citation=_RANK_LOSS,
        terms=NO_TERMS,
        builder="birdmodes.experiments.datasets.hja:build_filtered",
        files=_HJA_FILES,
    ),
    DatasetInfo(
        name="hja-birdsong-unfiltered",
        title="the same recordings, all segments",
        n_bags=548,
        n_instances=10232,
        n_features=38,
        n_classes=13,
        n_single_label=199,
        origin=_HJA_ORIGIN + "All segments; the species of 5234 of them, mostly noise, is "
        "not known.",
        citation=_RANK_LOSS,
        terms=NO_TERMS,
        builder="birdmodes.experiments.datasets.hja:build_unfiltered",
        files=_HJA_FILES,
    ),
    DatasetInfo(
        name="msrc-v2",
        title="regions of photographs",
        n_bags=591,
        n_instances=1758,
        n_features=48,
        n_classes=23,
        n_single_label=130,
        origin="Photographs (bags) of the second Microsoft Research Cambridge collection; an "
        "instance is a region outlined by hand, with 48 colour and gradient histogram "
        "features. The public copy does not name the classes; their usual order in that "
        "collection is assumed.",
        citation=_RANK_LOSS,
        terms=NO_TERMS,
        builder="birdmodes.experiments.datasets.msrc:build",
        files=(
            RawFile(
                *_SMAI,
                path="MSCV2.mat",
                local="msrc-v2/raw/SMAI-Project/MSCV2.mat",
                sha256="3e9f89d48ce1ef8c0a165b780f871dc68f00c387edb8e3a45812e18c8217868f",
            ),
        ),
    ),
    DatasetInfo(
        name="letter-carroll",
        title="letters of the words of 'Jabberwocky'",
        n_bags=166,
        n_instances=717,
        n_features=16,
        n_classes=24,
        n_single_label=1,
        origin=f"Lewis Carroll's poem 'Jabberwocky', made {_LETTERS_ORIGIN}",
        citation=f"{_RANK_LOSS}; Frey & Slate, Letter recognition using Holland-style "
        "adaptive classifiers, Machine Learning 6, 1991",
        terms=NO_TERMS,
        builder="birdmodes.experiments.datasets.letters:build_carroll",
        files=(
            RawFile(
                *_CEM,
                path="datasets/letter_carroll.mat",
                local="letter-carroll/raw/CEM_AL_VOF/datasets/letter_carroll.mat",
                sha256="a29b0eed4e38de1c40c731235500ec2f685dcd3994d11673489a36e4952e0069",
            ),
        ),
    ),
    DatasetInfo(
        name="letter-frost",
        title="letters of the words of 'The Road Not Taken'",
        n_bags=144,
        n_instances=565,
        n_features=16,
        n_classes=24,
        n_single_label=12,
        origin=f"Robert Frost's poem 'The Road Not Taken', made {_LETTERS_ORIGIN}",
        citation=f"{_RANK_LOSS}; Frey & Slate, Letter recognition using Holland-style "
        "adaptive classifiers, Machine Learning 6, 1991",
        terms=NO_TERMS,
        builder="birdmodes.experiments.datasets.letters:build_frost",
        files=(
            RawFile(
                *_CEM,
                path="datasets/letter_frost.mat",
                local="letter-frost/raw/CEM_AL_VOF/datasets/letter_frost.mat",
                sha256="767818da0dd7d56cd883342c72c9c7042035b2e47440cd9c2f59812010aaa82b",
            ),
        ),
    ),
    DatasetInfo(
        name="digits-words",
        title="handwritten digits of a multiplication table; built in",
        n_bags=378,
        n_instances=980,
        n_features=64,
        n_classes=10,
        n_single_label=26,
        origin="The products of all pairs of numbers up to 27, in decimal, are the words "
        "(bags); an instance is a handwritten digit of scikit-learn's digits data (64 pixels, "
        "0 to 16), drawn without replacement. Nothing is downloaded.",
        citation="Alpaydin & Kaynak, Optical recognition of handwritten digits, UCI machine "
        "learning repository, 1998",
        terms="The digits come with scikit-learn, from the UCI repository (CC BY 4.0).",
        builder="birdmodes.experiments.datasets.digits:build",
    ),
)
