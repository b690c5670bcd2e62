"""What `make results` runs: corpora, recipes, models, and the paper's figures beside them.

Nothing here was chosen on test. Files are relative to the folder of the corpora.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

SEEDS = range(5)
MODELS = ("bcnn", "abcnn-1", "abcnn-2", "abcnn-3")
VECTORS = ("vectors/glove.6B.100d.wink.subset.bin", "vectors/glove.6B.50d.subset.bin")


@dataclass(frozen=True)
class Recipe:
    """A way to train: `options` of `abcnn train`, for some models and numbers of layers.

    wordnet: whether the features have a WordNet, which must be installed then; without, they have
    none whatever is installed.
    """

    name: str
    what: str
    options: tuple[str, ...]
    models: tuple[str, ...] = MODELS
    layers: tuple[int, ...] = (1, 2)
    ensemble: bool = False
    wordnet: bool = False


@dataclass(frozen=True)
class Goal:
    """Mean figures to reach on test by some model of a recipe, and those of the paper."""

    what: str
    recipe: str
    paper: tuple[float, ...]
    goal: tuple[float, ...]


@dataclass(frozen=True)
class Corpus:
    """A corpus, its task, and what is run on it.

    `paper` holds the paper's test figures by model and layers, in the order of `measures`; `mixed`
    asks for the measures of questions with both right and wrong candidates, too. `compared` are
    options of `abcnn compare-models` besides its defaults.
    """

    name: str
    title: str
    task: str
    train: str
    dev: str | None
    test: str
    measures: tuple[str, ...]
    recipes: tuple[Recipe, ...]
    paper: dict[tuple[str, int], tuple[float, ...]]
    goals: tuple[Goal, ...]
    mixed: bool = False
    compared: tuple[str, ...] = ("--seeds", "1")


PAPER = Recipe("paper", "the paper's recipe (`--preset paper`)", ("--preset", "paper"))
BEST = Recipe("best", "`--preset best`", ("--preset", "best"))
ENSEMBLE = Recipe(
    "ensemble",
    "`--preset best --seeds 5 --ensemble`: one bundle of five networks",
    ("--preset", "best"),
    layers=(1,),
    ensemble=True,
)

CORPORA = {
    corpus.name: corpus
    for corpus in (
        Corpus(
            name="wikiqa",
            title="Answer selection: WikiQA",
            task="answer-selection",
            train="wikiqa/WikiQA-train.tsv",
            dev="wikiqa/WikiQA-dev.tsv",
            test="wikiqa/WikiQA-test.tsv",
            measures=("map", "mrr"),
            recipes=(BEST, PAPER, ENSEMBLE),
            paper={
                ("bcnn", 1): (0.6629, 0.6813),
                ("bcnn", 2): (0.6593, 0.6738),
                ("abcnn-1", 1): (0.6810, 0.6979),
                ("abcnn-1", 2): (0.6855, 0.7023),
                ("abcnn-2", 1): (0.6885, 0.7054),
                ("abcnn-2", 2): (0.6879, 0.7068),
                ("abcnn-3", 1): (0.6914, 0.7127),
                ("abcnn-3", 2): (0.6921, 0.7108),
            },
            goals=(
                Goal("WikiQA MAP / MRR", "best", (0.6921, 0.7108), (0.700, 0.715)),
                Goal("WikiQA, five networks in one bundle", "ensemble", (), (0.720, 0.735)),
            ),
            mixed=True,
            compared=("--seeds", "1", "--epochs", "5"),
        ),
        Corpus(
            name="msrp",
            title="Paraphrase: MSRP",
            task="paraphrase",
            train="msrp/msr_paraphrase_train.txt",
            dev=None,
            test="msrp/msr_paraphrase_test.txt",
            measures=("accuracy", "f1"),
            recipes=(
                BEST,
                PAPER,
                Recipe(
                    "best without translation",
                    "`--preset best --features lexical`: no machine-translation features",
                    ("--preset", "best", "--features", "lexical"),
                    models=("abcnn-3",),
                ),
                Recipe(
                    "best with WordNet",
                    "`--preset best` where WordNet 3.0 is installed",
                    ("--preset", "best"),
                    models=("abcnn-3",),
                    layers=(1,),
                    wordnet=True,
                ),
                ENSEMBLE,
            ),
            paper={
                ("bcnn", 1): (0.781, 0.841),
                ("bcnn", 2): (0.783, 0.843),
                ("abcnn-1", 1): (0.785, 0.845),
                ("abcnn-1", 2): (0.785, 0.846),
                ("abcnn-2", 1): (0.786, 0.847),
                ("abcnn-2", 2): (0.788, 0.847),
                ("abcnn-3", 1): (0.788, 0.848),
                ("abcnn-3", 2): (0.789, 0.848),
            },
            goals=(
                Goal(
                    "MSRP accuracy / F1, no machine-translation features",
                    "best without translation",
                    (0.751, 0.827),
                    (0.760, 0.830),
                ),
                Goal(
                    "MSRP accuracy / F1, all features but WordNet's",
                    "best",
                    (0.789, 0.848),
                    (0.785, 0.848),
                ),
                Goal(
                    "MSRP accuracy / F1, all features",
                    "best with WordNet",
                    (0.789, 0.848),
                    (0.785, 0.848),
                ),
                Goal("MSRP, all, five networks in one bundle", "ensemble", (), (0.785, 0.848)),
            ),
        ),
        Corpus(
            name="sick",
            title="Entailment: SICK",
            task="entailment",
            train="sick/SICK_train.txt",
            dev="sick/SICK_trial.txt",
            test="sick/SICK_test_annotated.txt",
            measures=("accuracy",),
            recipes=(
                BEST,
                PAPER,
                Recipe(
                    "best without features",
                    "`--preset best --features none`",
                    ("--preset", "best", "--features", "none"),
                ),
                ENSEMBLE,
            ),
            paper={
                ("bcnn", 1): (0.848,),
                ("bcnn", 2): (0.850,),
                ("abcnn-1", 1): (0.856,),
                ("abcnn-1", 2): (0.858,),
                ("abcnn-2", 1): (0.857,),
                ("abcnn-2", 2): (0.858,),
                ("abcnn-3", 1): (0.860,),
                ("abcnn-3", 2): (0.862,),
            },
            goals=(
                Goal("SICK accuracy, no features", "best without features", (0.846,), (0.846,)),
                Goal("SICK accuracy, all features", "best", (0.862,), (0.865,)),
                Goal("SICK, all, five networks in one bundle", "ensemble", (), (0.865,)),
            ),
        ),
        Corpus(
            name="relatedness",
            title="Graded similarity: SICK relatedness",
            task="similarity",
            train="sick/SICK_train.txt",
            dev="sick/SICK_trial.txt",
            test="sick/SICK_test_annotated.txt",
            measures=("pearson", "spearman", "mse"),
            recipes=(BEST, ENSEMBLE),
            paper={},
            goals=(
                Goal("SICK relatedness, Pearson", "best", (), (0.85,)),
                Goal("SICK relatedness, five networks in one bundle", "ensemble", (), (0.85,)),
            ),
        ),
    )
}


@dataclass(frozen=True)
class Cell:
    """One training and its record; an ensemble's is that of its first seed."""

    corpus: Corpus
    recipe: Recipe
    model: str
    layers: int
    seed: int

    @property
    def name(self) -> str:
        """Folder and name of the record, such as `sick/best-abcnn-3-1-seed-0`."""
        recipe = self.recipe.name.replace(" ", "-")
        return f"{self.corpus.name}/{recipe}-{self.model}-{self.layers}-seed-{self.seed}"


def cells(corpora: list[str]) -> Iterator[Cell]:
    """All cells, those of the first seed before those of the second: a table fills up evenly."""
    for seed in SEEDS:
        for name in corpora:
            for recipe in CORPORA[name].recipes:
                for model in recipe.models:
                    for layers in recipe.layers:
                        if not (recipe.ensemble and seed):
                            yield Cell(CORPORA[name], recipe, model, layers, seed)
