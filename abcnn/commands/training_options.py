"""The options of training that several commands share, a decorator."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from abcnn.errors import InputError
from abcnn.network_config import COMPARISONS
from abcnn.tasks import Task
from abcnn.training.options import CHOICES, SIMILARITY_SCORES, TrainingOptions
from abcnn.training.presets import PRESETS, preset, preset_model

if TYPE_CHECKING:
    from abcnn.features.extraction import Extraction

_DEFAULTS = TrainingOptions()


def setting(name: str, *, flags: str | None = None, **arguments: Any) -> Callable:
    """An option for the field `name` of `TrainingOptions`, with its default."""
    flags = flags or f"--{name.replace('_', '-')}"
    return click.option(flags, name, **{"default": getattr(_DEFAULTS, name)} | arguments)


preset_option = click.option(
    "--preset",
    type=click.Choice(PRESETS),
    default="none",
    help="A named set of options, which single options overrule: the paper's, or the best on dev, "
    "with its model where --model is not given.",
)

model_option = setting(
    "model",
    type=click.Choice(CHOICES["model"]),
    help="Attention: none (average, bcnn, siamese-rnn, conditional-rnn), on the input, in the "
    "pooling, both; attend, compare, aggregate; self- and cross-attention; word by word; over "
    "words, then sentences; or the right sentence's probability given the left (seq2seq).",
)


def training_options(command: Callable) -> Callable:
    """Every field of `TrainingOptions` but `model` and `seed`, and `--feature-cache`."""

    @setting("conv_layers", help="Convolution layers.")
    @setting("filters", help="Filters of a convolution.")
    @setting(
        "width",
        type=str,
        help="Width of the filters, in words; or several divided by commas, each with blocks of "
        "its own.  [default: by task]",
    )
    @setting("hidden_dim", help="Size of hidden layers and states (all but average, bcnn, abcnn).")
    @setting("heads", help="Heads of each attention (transformer).")
    @setting("depth", help="Blocks (transformer).")
    @setting("joint", is_flag=True, help="Read both sentences as one sequence (transformer).")
    @setting(
        "cell",
        type=click.Choice(CHOICES["cell"]),
        help="Recurrent cell (-rnn, hierarchical, seq2seq).",
    )
    @setting(
        "both_directions",
        flags="--both-directions/--one-direction",
        help="Read each sentence from its end, too (siamese-rnn, conditional-rnn, hierarchical); "
        "or the left given the right (attentive-rnn).",
    )
    @setting(
        "attention",
        type=click.Choice(CHOICES["attention"]),
        help="What of the left sentence each right word reads (attentive-rnn).",
    )
    @setting("window", help="Words read on each side by a local attention (attentive-rnn).")
    @setting("max_sentences", help="Sentences told apart in a document (hierarchical).")
    @setting("target_words", help="Words that have a probability of their own (seq2seq).")
    @setting("max_length", type=int, help="Tokens read of a sentence.  [default: by task]")
    @setting(
        "match_score",
        type=click.Choice(CHOICES["match_score"]),
        help="Match score of the attention.  [default: by model]",
    )
    @setting(
        "share_weights", flags="--share-weights/--own-weights", help="One W for both feature maps."
    )
    @setting(
        "weight_all_pooling",
        flags="--weight-all-pooling/--plain-all-pooling",
        help="Whether attention weighs the sentence vector too (ABCNN-2, -3).",
    )
    @setting(
        "pooled_attention",
        help="Pool each block's attention to so many rows and columns for the output layer, too "
        "(ABCNN-1, -2, -3); 0 for none.",
    )
    @setting(
        "rest_network",
        flags="--rest-network/--one-network",
        help="A second network for the words that the other sentence lacks (average, bcnn, abcnn).",
    )
    @setting(
        "train_vectors",
        flags="--train-vectors/--freeze-vectors",
        help="Whether vectors are trained.  [default: only when none are given]",
    )
    @setting(
        "train_frequent_words",
        help="Train the vectors of so many words alone, the training text's most frequent ones; 0 "
        "for all.",
    )
    @setting("vector_dropout", help="Dropout on word vectors.")
    @setting("score_dropout", help="Dropout on scores and features.")
    @setting(
        "word_dropout",
        help="Share of the words that are unknown words in training, drawn anew in every epoch "
        "(all but hierarchical, seq2seq).",
    )
    @setting(
        "scores",
        help=f"Similarity scores of the sentence vectors, among {', '.join(SIMILARITY_SCORES)}, "
        "divided by commas.  [default: by task]",
    )
    @setting(
        "comparison",
        default="none",
        help=f"What else the output layer reads of the sentence vectors, number by number, among "
        f"{', '.join(COMPARISONS)}, divided by commas; or none (where a model has such vectors).",
    )
    @setting(
        "features",
        help="Features divided by commas, by name or in groups: lexical, translation, relations, "
        "paper; or none.  [default: by task]",
    )
    @click.option(
        "--feature-cache",
        type=click.Path(),
        help="Folder where features that take long are kept for the next run, or none.  "
        "[default: the user's cache folder]",
    )
    @setting("tokenizer", type=click.Choice(CHOICES["tokenizer"]))
    @setting("lowercase", is_flag=True, help="Lower-case all words.")
    @setting(
        "frequent_words",
        help="Words kept of the beginning of the vector file, besides the training words.",
    )
    @setting(
        "normalize_vectors",
        type=click.Choice(CHOICES["normalize_vectors"]),
        help="Bring the words' first vectors to the length 1, or subtract their mean before.",
    )
    @setting("dim", help="Size of the vectors trained when none are given.")
    @setting(
        "loss",
        type=click.Choice(
            ["pointwise", "pairwise", "listwise", "hard-negative", "mse", "distribution"]
        ),
        help="Pairs by themselves, or the candidates of a question together, all of the wrong ones "
        "or the one that seems most right; of grades the squared error, or the divergence from a "
        "distribution over whole grades.  [default: by task]",
    )
    @setting(
        "class_weight",
        type=click.Choice(CHOICES["class_weight"]),
        help="Weights of the labels, with --loss pointwise.",
    )
    @setting(
        "layerwise",
        flags="--layerwise/--all-at-once",
        help="Train block after block, earlier ones frozen.",
    )
    @setting(
        "refit",
        type=click.Choice(CHOICES["refit"]),
        help="Fit the final decision anew on scores and features, when the network is trained.",
    )
    @setting("optimizer", type=click.Choice(CHOICES["optimizer"]))
    @setting("learning_rate", type=float, help="Step of the optimiser.  [default: by task]")
    @setting(
        "schedule",
        type=click.Choice(CHOICES["schedule"]),
        help="How the step falls to 0 over the planned epochs: not, in equal parts, or along half "
        "a cosine.",
    )
    @setting("warmup", help="Share of all steps in which the step rises from 0 first.")
    @setting("l2", help="L2 regularisation of the weights.")
    @setting("batch_size", help="Pairs in a batch.")
    @setting("epochs", help="Epochs at most.")
    @setting("patience", help="Epochs without a better dev measure before the end.")
    @setting("dev_share", help="Share held out for dev when --dev is not given.")
    @setting(
        "train_on_dev",
        is_flag=True,
        help="When all is chosen on dev, train once more on train and dev for as many epochs; the "
        "measures on dev stay those of the first training.",
    )
    @setting(
        "both_orders",
        flags="--both-orders/--one-order",
        help="Learn from each pair in both orders, and score by the mean (paraphrase, similarity).",
    )
    @setting(
        "grade_range",
        flags="--range",
        metavar="LOW,HIGH",
        help="Lowest and highest grade (similarity).  [default: those of the training pairs]",
    )
    @setting(
        "calibrate",
        type=click.Choice(CHOICES["calibrate"]),
        help="How scores are made probabilities on dev; no order changes.",
    )
    @functools.wraps(command)
    def with_options(*places: Any, **arguments: Any) -> Any:
        return command(*places, **arguments)

    return with_options


def option_values(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Of a command's arguments those for `TrainingOptions`, lists divided."""
    names = {field.name for field in fields(TrainingOptions)}
    options = {name: value for name, value in arguments.items() if name in names}
    for name in ("scores", "comparison", "features"):
        if (value := options[name]) is not None:
            options[name] = () if value == "none" else tuple(value.split(","))
    options["width"] = _width(options["width"])
    if (ends := options["grade_range"]) is not None:
        options["grade_range"] = _two_numbers(ends)
    return options


def given_options(context: click.Context) -> set[str]:
    """The fields of `TrainingOptions` that the user gave, in whatever way."""
    return {
        field.name
        for field in fields(TrainingOptions)
        if context.get_parameter_source(field.name) not in (None, ParameterSource.DEFAULT)
    }


def chosen_options(
    context: click.Context, task: Task, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """The options given, over those of the preset, over the defaults."""
    options, given, name = option_values(arguments), given_options(context), arguments["preset"]
    if "model" not in given and (model := preset_model(name, task)) is not None:
        options["model"] = model
    named = preset(name, task, model=options["model"], conv_layers=options["conv_layers"])
    return options | {name: value for name, value in named.items() if name not in given}


def _width(text: str | None) -> int | tuple[int, ...] | None:
    """One number, or several divided by commas. Raises InputError for what is none."""
    if text is None:
        return None
    try:
        one, *others = (int(number) for number in text.split(","))
    except ValueError:
        raise InputError(
            f"`width` must be one number or several divided by commas. Received: {text!r}"
        ) from None
    return (one, *others) if others else one


def _two_numbers(text: str) -> tuple[float, float]:
    try:
        low, high = map(float, text.split(","))
    except ValueError:
        raise InputError(
            f"`--range` must be two numbers divided by a comma, as in 1,5. Received: {text!r}"
        ) from None
    return low, high


def extraction(cache: str | None) -> Extraction:
    """How costly features are computed, for `--feature-cache`."""
    from abcnn.features.cache import FeatureCache
    from abcnn.features.extraction import Extraction

    if cache == "none":
        kept = None
    else:
        kept = FeatureCache.of_user() if cache is None else FeatureCache(Path(cache))
    return Extraction(workers=os.cpu_count() or 1, cache=kept)
