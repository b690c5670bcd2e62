"""Options: the task's defaults, and a clear word for each that cannot be."""

import json

import pytest

from abcnn.errors import InputError
from abcnn.tasks import TASKS
from abcnn.training.options import RANKING_LOSSES, TrainingOptions


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_the_task_fills_in_what_is_not_given(task):
    options = TrainingOptions().for_task(task)
    assert (options.max_length, options.scores, options.features, options.loss) == (
        task.max_length,
        task.scores,
        task.features,
        task.losses[0],
    )
    assert options.for_task(task) == options


def test_what_is_given_stays():
    given = TrainingOptions(
        max_length=9,
        scores=("dot",),
        features=(),
        loss="listwise",
        width=2,
        match_score="dot",
        learning_rate=0.1,
    )
    assert given.for_task(TASKS["answer-selection"]) == given


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("conv_layers", 0, "at least 1"),
        ("filters", 0, "at least 1"),
        ("width", 0, "at least 1"),
        ("width", (2, 0), "numbers of at least 1, each once"),
        ("width", (2, 2), "numbers of at least 1, each once"),
        ("width", (), "numbers of at least 1, each once"),
        ("max_length", 0, "at least 1"),
        ("dim", -1, "at least 1"),
        ("batch_size", 0, "at least 1"),
        ("epochs", 0, "at least 1"),
        ("patience", 0, "at least 1"),
        ("frequent_words", -1, "at least 0"),
        ("seed", -1, "from 0 to 4294967295"),
        ("seed", 2**32, "from 0 to 4294967295"),
        ("vector_dropout", 1.0, "below 1"),
        ("vector_dropout", float("nan"), "below 1"),
        ("score_dropout", -0.1, "at least 0"),
        ("word_dropout", 1.0, "below 1"),
        ("word_dropout", float("nan"), "below 1"),
        ("dev_share", 0.0, "between 0 and 1"),
        ("dev_share", 1.0, "between 0 and 1"),
        ("learning_rate", 0.0, "above 0"),
        ("learning_rate", float("nan"), "above 0"),
        ("train_frequent_words", -1, "at least 0"),
        ("warmup", 1.0, "at least 0 and below 1"),
        ("warmup", float("nan"), "at least 0 and below 1"),
        ("l2", -1e-4, "at least 0"),
        ("scores", (), "one or more of euclidean, manhattan, cosine, dot, scaled_dot"),
        ("loss", "pairwise", "one of pointwise for paraphrase"),
    ],
)
def test_what_cannot_be_is_named(name, value, expected):
    with pytest.raises(InputError) as caught:
        TrainingOptions(**{name: value}).for_task(TASKS["paraphrase"])
    message = str(caught.value)
    assert message.startswith(f"`{name}` must be ")
    assert expected in message
    assert message.endswith(f"Received: {value!r}")


@pytest.mark.parametrize("loss", sorted(RANKING_LOSSES))
def test_class_weights_are_for_the_pointwise_loss(loss):
    task = TASKS["answer-selection"]
    TrainingOptions(class_weight="balanced", loss="pointwise").for_task(task)
    with pytest.raises(InputError, match=f"`class_weight` must be none with the {loss} loss"):
        TrainingOptions(class_weight="balanced", loss=loss).for_task(task)


def test_options_are_json():
    options = TrainingOptions(seed=4).for_task(TASKS["entailment"])
    read = json.loads(json.dumps(options.to_dict()))
    lists = {name: tuple(value) for name, value in read.items() if isinstance(value, list)}
    assert TrainingOptions(**read | lists) == options


def test_the_stated_choices_are_the_ones_there_are():
    from abcnn.layers import elementwise_comparison
    from abcnn.layers.match_scores import MATCH_SCORES, WEIGHTLESS
    from abcnn.layers.word_by_word_attention import ATTENTIONS as READINGS
    from abcnn.models import MODELS
    from abcnn.models.recurrent import CELLS
    from abcnn.network_config import ATTENTIONS, COMPARISONS
    from abcnn.text.normalize import NORMALIZATIONS
    from abcnn.text.tokenizer import KINDS
    from abcnn.training.options import CHOICES, MODEL_OPTIONS, READ_IDS, SIMILARITY_SCORES

    assert CHOICES["model"] == tuple(MODELS)
    assert CHOICES["cell"] == tuple(CELLS)
    assert CHOICES["attention"] == READINGS
    for name, model in MODELS.items():
        # The length is that of the encoder, whatever the model; the regulariser is made of l2.
        not_its_own = {"max_length", "regularizer", "sentence_ends", "vocabulary"}
        # A second network is built as the first one is.
        second = {"rest_network"} if name in ("average", *ATTENTIONS) else set()
        assert set(MODEL_OPTIONS[name]) - {"comparison"} == (
            set(model.options) - not_its_own | second
        )
    assert tuple(elementwise_comparison.COMPARISONS) == COMPARISONS
    assert {name for name, model in MODELS.items() if model.reads_ids} == READ_IDS
    assert CHOICES["match_score"] == tuple(MATCH_SCORES)
    assert SIMILARITY_SCORES == WEIGHTLESS
    assert CHOICES["tokenizer"] == KINDS
    assert CHOICES["normalize_vectors"] == NORMALIZATIONS


@pytest.mark.parametrize(
    "name", ["model", "match_score", "tokenizer", "class_weight", "optimizer", "schedule"]
)
def test_an_unknown_word_is_refused(name):
    options = TrainingOptions(**{name: "nonsense"})
    with pytest.raises(InputError, match=rf"`{name}` must be one of .*Received: 'nonsense'"):
        options.for_task(TASKS["paraphrase"])


@pytest.mark.parametrize("value", [("sum",), ("product", "product")])
def test_an_unknown_comparison_is_refused(value):
    options = TrainingOptions(comparison=value)
    with pytest.raises(InputError, match=r"`comparison` must be none or some of difference, prod"):
        options.for_task(TASKS["paraphrase"])


def test_an_unknown_similarity_score_is_refused():
    options = TrainingOptions(scores=("euclidean", "jaccard"))
    with pytest.raises(InputError, match=r"`scores` must be one or more of .*jaccard"):
        options.for_task(TASKS["paraphrase"])


@pytest.mark.parametrize(
    ("model", "name", "value", "readers"),
    [
        ("decomposable", "width", 9, "bcnn, abcnn-1"),
        ("seq2seq", "comparison", ("product",), "average, bcnn, abcnn-1"),
        ("average", "hidden_dim", 6, "decomposable, transformer"),
        ("abcnn-3", "joint", True, "transformer"),
        ("transformer", "cell", "lstm", "siamese-rnn"),
        ("bcnn", "pooled_attention", 10, "abcnn-1, abcnn-2, abcnn-3"),
        ("decomposable", "rest_network", True, "average, bcnn, abcnn-1"),
    ],
)
def test_an_option_that_the_model_does_not_read_is_refused(model, name, value, readers):
    task = TASKS["paraphrase"]
    options = TrainingOptions(model=model, **{name: value})
    with pytest.raises(InputError, match=rf"`{name}` must be .* with {model}, .*{readers}"):
        options.for_task(task)
    filled = TrainingOptions(model=model).for_task(task)
    assert filled.for_task(task) == filled


@pytest.mark.parametrize("model", ["hierarchical", "seq2seq"])
def test_words_are_not_left_out_where_they_are_more_than_vectors(model):
    options = TrainingOptions(model=model, word_dropout=0.1)
    with pytest.raises(InputError, match=rf"`word_dropout` must be 0 with {model}, .*Received: 0"):
        options.for_task(TASKS["paraphrase"])


def test_some_vectors_are_trained_only_where_vectors_are():
    some = TrainingOptions(train_frequent_words=5)
    assert some.with_vectors(given=True).train_vectors is True
    assert TrainingOptions().with_vectors(given=True).train_vectors is False
    assert TrainingOptions().with_vectors(given=False).train_vectors is True
    with pytest.raises(InputError, match=r"`train_frequent_words` must be 0 with frozen vectors"):
        TrainingOptions(train_frequent_words=5, train_vectors=False).for_task(TASKS["paraphrase"])


def test_heads_divide_the_size_of_the_transformer():
    options = TrainingOptions(model="transformer", hidden_dim=6, heads=4)
    with pytest.raises(InputError, match=r"`heads` must be a divisor of `hidden_dim`, 6"):
        options.for_task(TASKS["paraphrase"])
