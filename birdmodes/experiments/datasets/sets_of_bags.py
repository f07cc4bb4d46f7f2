"""Entries of the data sets on which clustering of whole *bags* is compared.

These are the sets of the papers on M3IC and MI-EM, and Corel5K; the public copies know classes of
bags, not of instances.
"""

from __future__ import annotations

from birdmodes.experiments.datasets.entry import NO_TERMS, DatasetInfo, RawFile

_MISVM = ("garydoranjr/misvm", "e55747994adf444bfdb492a03f72b9812cd41906")
_MILPY = ("jmarrietar/MILpy", "e6a8c7ee326cb318de8197546d7913f4395f1401")
_MCILBOOST = ("junyanz/MCILBoost", "3527c580f3aab87d8a79bdd8a52f087567efc2cc")
_MIML = ("kdis-lab/MIML", "571061bc699421af30782bd205fda5c10edcd125")
_MIMLCA = ("MarcTLaw/MIMLCA", "a4f661dfa3d8d64f54624bfd644959f126d74f02")

_MUSK = (
    "Dietterich, Lathrop & Lozano-Perez, Solving the multiple instance problem with axis-parallel "
    "rectangles, Artificial Intelligence 89, 1997"
)
_MUSK_ORIGIN = (
    "Molecules (bags), some of which smell of musk to people; an instance is a conformation, a "
    "shape that the molecule can take, measured by 166 distances. "
)
_MIML_CITATION = (
    "Zhou, Zhang, Huang & Li, Multi-instance multi-label learning, Artificial Intelligence 176, "
    "2012"
)

SETS = (
    DatasetInfo(
        name="musk1",
        title="molecules that smell of musk or do not, first set",
        n_bags=92,
        n_instances=476,
        n_features=166,
        n_classes=2,
        n_single_label=92,
        origin=_MUSK_ORIGIN + "From the UCI repository.",
        citation=_MUSK,
        terms=NO_TERMS,
        builder="birdmodes.experiments.datasets.musk:build_musk1",
        files=(
            RawFile(
                *_MISVM,
                path="example/musk1.data",
                local="musk1/musk1.data",
                sha256="59e3be669d645a72b2de7e7baa21e7d4e537be918e4320e8dea6aadc9227f379",
            ),
        ),
    ),
    DatasetInfo(
        name="musk2",
        title="molecules that smell of musk or do not, larger set",
        n_bags=102,
        n_instances=6598,
        n_features=166,
        n_classes=2,
        n_single_label=102,
        origin=_MUSK_ORIGIN + "From the UCI repository; this copy does not name the molecules.",
        citation=_MUSK,
        terms=NO_TERMS,
        builder="birdmodes.experiments.datasets.musk:build_musk2",
        files=(
            RawFile(
                *_MILPY,
                path="data/musk2_original/X.mat",
                local="musk2/X.mat",
                sha256="172610df60e81223f726515239f8c6270aaf1f8a8be5c3c52f811072bf02358f",
            ),
            RawFile(
                *_MILPY,
                path="data/musk2_original/Bag2.mat",
                local="musk2/Bag2.mat",
                sha256="824082cb9bd74745c38def5d4a427d289aba5a76d966cb07051ca0de0e8fe6fe",
            ),
            RawFile(
                *_MILPY,
                path="data/musk2_original/BagI.mat",
                local="musk2/BagI.mat",
                sha256="e8300c17f3f995340f75a6731d739d87f3e9cc24a049cc5152b0631ebbc16dbc",
            ),
        ),
    ),
    DatasetInfo(
        name="corel-eft",
        title="photographs of elephants, foxes and tigers",
        n_bags=300,
        n_instances=1953,
        n_features=230,
        n_classes=3,
        n_single_label=300,
        origin="Photographs (bags) of the Corel collection; an instance is a region with 230 "
        "colour, texture and shape features, 106 of which never vary. The published files set "
        "the photographs of each animal against others; here are those of the animals, 100 each.",
        citation="Andrews, Tsochantaridis & Hofmann, Support vector machines for "
        "multiple-instance learning, NIPS 2002",
        terms=NO_TERMS,
        builder="birdmodes.experiments.datasets.corel_eft:build",
        files=(
            RawFile(
                *_MCILBOOST,
                path="data/elephant.data",
                local="corel-eft/elephant.data",
                sha256="6a01ccd8c6f88f730c44864394368795b18c16735a200979632d4e51faa09b7b",
            ),
            RawFile(
                *_MCILBOOST,
                path="data/fox.data",
                local="corel-eft/fox.data",
                sha256="2b796a2691fdb15a2069d7484fb57b0710b7f48379310cf927d3039f6ac2eb1e",
            ),
            RawFile(
                *_MCILBOOST,
                path="data/tiger.data",
                local="corel-eft/tiger.data",
                sha256="2cc707271b454358a6f9e59b5ee7b9096d8fcd31b574c95ecad1cb415bfb6a52",
            ),
        ),
    ),
    DatasetInfo(
        name="sival",
        title="photographs of single objects, 6 of the 25",
        n_bags=360,
        n_instances=11410,
        n_features=30,
        n_classes=6,
        n_single_label=360,
        origin="Photographs (bags) of single objects, 60 of each; an instance is a segment with "
        "30 colour and texture features of itself and its neighbours. The public copy has 6 of "
        "the 25 objects, features scaled to 0 to 1 and rounded to 6 digits. It names only three "
        "of them; the objects are told by the numbers of the bags, which follow the alphabet.",
        citation="Rahmani, Goldman, Zhang, Cholleti & Fritts, Localized content-based image "
        "retrieval, IEEE Transactions on Pattern Analysis and Machine Intelligence 30, 2008",
        terms=NO_TERMS,
        builder="birdmodes.experiments.datasets.sival:build",
        files=(
            RawFile(
                *_MCILBOOST,
                path="data/sival.data",
                local="sival/sival.data",
                sha256="39ebd7c78243b4d4f1db6519fa0eb3e00c8225fc3f2af8f35cd3d23e4d915888",
            ),
        ),
    ),
    DatasetInfo(
        name="natural-scene",
        title="photographs of landscapes",
        n_bags=2000,
        n_instances=18000,
        n_features=15,
        n_classes=5,
        n_single_label=1543,
        origin="Photographs (bags); an instance is one of nine places in each, with the colour "
        "of it and its difference from the colours around. A conversion of the authors' file.",
        citation=_MIML_CITATION,
        terms=NO_TERMS,
        builder="birdmodes.experiments.datasets.miml_arff:build_natural_scene",
        files=(
            RawFile(
                *_MIML,
                path="data/miml_03_data.arff",
                local="natural-scene/miml_03_data.arff",
                sha256="54f216425712b51a52f3e09a0be6ffaddddbc47e0406395f1e9ca288f4f5fd1b",
            ),
        ),
    ),
    DatasetInfo(
        name="reuters-miml",
        title="news of Reuters, by topic",
        n_bags=2000,
        n_instances=7119,
        n_features=243,
        n_classes=7,
        n_single_label=1701,
        origin="News texts of Reuters-21578 (bags); an instance is a window of a text, with the "
        "counts of 243 words. The topics have no names in the public copy, a conversion of the "
        "authors' file.",
        citation=_MIML_CITATION,
        terms=NO_TERMS,
        builder="birdmodes.experiments.datasets.miml_arff:build_reuters",
        files=(
            RawFile(
                *_MIML,
                path="data/miml_text_data.arff",
                local="reuters-miml/miml_text_data.arff",
                sha256="2fa01ded03924c613bff32d70701177efad18bf4081e64ada6cc68d8e33fad25",
            ),
        ),
    ),
    DatasetInfo(
        name="corel5k",
        title="photographs with keywords; the 500 test ones",
        n_bags=500,
        n_instances=4686,
        n_features=36,
        n_classes=374,
        n_single_label=7,
        origin="Photographs (bags) of the Corel collection with up to five keywords; an instance "
        "is one of up to ten regions with 36 features, six of which repeat others. The features "
        "of the 4500 training photographs are in a further file, blobs, which is used if the user "
        "adds it.",
        citation="Duygulu, Barnard, de Freitas & Forsyth, Object recognition as machine "
        "translation: learning a lexicon for a fixed image vocabulary, ECCV 2002",
        terms=NO_TERMS,
        builder="birdmodes.experiments.datasets.corel5k:build",
        files=(
            RawFile(
                *_MIMLCA,
                path="UCI_Corel5K/dataset/words",
                local="corel5k/words",
                sha256="284ff046255312cb94d84699768ff8aca877350e7cc3b6515c61caaba4a2d3ff",
            ),
            RawFile(
                *_MIMLCA,
                path="UCI_Corel5K/dataset/test_1_blob_counts",
                local="corel5k/test_1_blob_counts",
                sha256="8be66654d0c6253aa63315c7810d5b50a5447ad875df5b616bd41921c1ac4a90",
            ),
            RawFile(
                *_MIMLCA,
                path="UCI_Corel5K/dataset/test_1_document_words",
                local="corel5k/test_1_document_words",
                sha256="4d0c2ecae6b9b7416c48ffdcbd3247cf9fec8c6c81a3e7aaef1e859ce8f2bad4",
            ),
            RawFile(
                *_MIMLCA,
                path="UCI_Corel5K/dataset/test_1_blobs",
                local="corel5k/test_1_blobs",
                sha256="f3d00b2fc31d811812466eb624c1363075e4637d88497b5b46a3cb00fabf8e46",
            ),
            # The other two are of the training photographs.
            RawFile(
                *_MIMLCA,
                path="UCI_Corel5K/dataset/document_words",
                local="corel5k/document_words",
                sha256="6d1f2cb279aa70b9c7ba38a56fae5ee1e1ccb856e39628af36716e6c2b7cecda",
            ),
            RawFile(
                *_MIMLCA,
                path="UCI_Corel5K/dataset/blob_counts",
                local="corel5k/blob_counts",
                sha256="48c4bcfc70bcf925999ba6d428bc89bde04d0346b59d44b895a526ad87096232",
            ),
        ),
    ),
)
