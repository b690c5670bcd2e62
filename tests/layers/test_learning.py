"""Each attention learns a task that needs it, and its matrix shows what it has learnt.

On TensorFlow alone: that the backends compute the same is tested with each layer.
"""

import keras
import numpy as np
import pytest

from abcnn.layers import (
    DoublyStochastic,
    HardAttention,
    HierarchicalAttention,
    LocalAttention,
    MultiHeadAttention,
    SelfAttention,
    SoftAttention,
    reinforce,
)


def test_it_learns_to_align_permuted_words():
    """The target at each word is a label that stands at the same word of the other sentence."""
    keras.utils.set_random_seed(0)
    generator = np.random.default_rng(0)
    words, length = 12, 7
    vectors = np.eye(words, dtype="float32")
    sentences = np.array([generator.permutation(words)[:length] for _ in range(512)])
    order = np.array([generator.permutation(length) for _ in sentences])
    labels = generator.choice([-1.0, 1.0], size=(len(sentences), length, 1))
    # Word t of the sentence stands at the place that holds t in `order`.
    expected = np.argsort(order, axis=1)[..., None]
    targets = np.take_along_axis(labels, expected, axis=1)
    permuted = vectors[np.take_along_axis(sentences, order, axis=1)]
    pairs = [vectors[sentences], np.concatenate([permuted, labels], axis=-1)]

    query, value = keras.Input((None, words)), keras.Input((None, words + 1))
    context, attention = SoftAttention("bilinear", return_attention=True)(query, value)
    model = keras.Model([query, value], context[..., words:])
    model.compile(keras.optimizers.Adam(0.1), "mse")
    model.fit(pairs, targets, batch_size=64, epochs=15, verbose=0)
    found = keras.Model([query, value], attention).predict(pairs, batch_size=512, verbose=0)
    assert np.take_along_axis(found, expected, axis=2).mean() > 0.9


def test_it_learns_a_shifted_window():
    """Each word's label stands one place further on. The words repeat every five, so that the
    whole sentence would not tell which of them is meant."""
    keras.utils.set_random_seed(0)
    generator = np.random.default_rng(0)
    words, length, count = 5, 12, 256
    vectors = np.eye(words, dtype="float32")
    steps = generator.choice([-1, 1], (count, 1)) * np.arange(length)
    ids = (generator.integers(0, words, (count, 1)) + steps) % words
    labels = generator.choice([-1.0, 1.0], size=(count, length, 1))
    pairs = [vectors[ids[:, 1:]], np.concatenate([vectors[ids], labels], axis=-1)]

    query, value = keras.Input((None, words)), keras.Input((None, words + 1))
    layer = LocalAttention(1, match_score="bilinear", return_attention=True)
    context, attention = layer(query, value)
    model = keras.Model([query, value], context[..., words:])
    model.compile(keras.optimizers.Adam(0.1), "mse")
    model.fit(pairs, labels[:, 1:], batch_size=64, epochs=10, verbose=0)
    found = keras.Model([query, value], attention).predict(pairs, batch_size=count, verbose=0)
    shifted = np.arange(1, length)
    assert found[:, shifted - 1, shifted].mean() > 0.9


def test_it_learns_where_to_look():
    """A number in the query says which unit is meant, and nothing else does: `p_t` follows it."""
    keras.utils.set_random_seed(0)
    generator = np.random.default_rng(0)
    count, length = 1024, 16
    places = generator.integers(1, length - 1, size=(count, 3, 1))
    share = places / length
    told = np.log(share / (1 - share)).astype("float32") / 2
    # Neighbours are alike, or nothing would tell the layer in which direction to move.
    noise = generator.normal(size=(count, length + 4))
    values = sum(noise[:, k : k + length, None] for k in range(5)) / 5**0.5
    targets = np.take_along_axis(values, places, axis=1)

    query, value = keras.Input((None, 1)), keras.Input((None, 1))
    layer = LocalAttention(3, "predictive", "bilinear", return_attention=True)
    context, attention = layer(query, value)
    guess = keras.layers.Dense(1, kernel_initializer="ones")(context)
    model = keras.Model([query, value], guess)
    layer.set_weights([np.full(weight.shape, 0.1) for weight in layer.get_weights()])
    model.compile(keras.optimizers.Adam(0.03), "mse")
    model.fit([told, values], targets, batch_size=64, epochs=15, verbose=0)
    found = keras.Model([query, value], attention).predict(
        [told, values], batch_size=count, verbose=0
    )
    centres = (found * np.arange(length)).sum(axis=-1) / found.sum(axis=-1)
    assert np.abs(centres - places[..., 0]).mean() < 0.6


@pytest.mark.parametrize("estimator", ["reinforce", "gumbel"])
def test_it_learns_to_find_the_marked_position(estimator):
    """One unit is marked, and the label stands at it; the others hold labels of their own."""
    keras.utils.set_random_seed(0)
    generator = np.random.default_rng(0)
    count, length = 1024, 6
    places = generator.integers(0, length, count)
    labels = generator.choice([-1.0, 1.0], size=(count, length))
    marks = np.arange(length) == places[:, None]
    values = np.stack([marks, labels], axis=-1).astype("float32")
    queries = np.ones((count, 1, 1), "float32")
    targets = (labels[marks] > 0).astype("float32")

    query, value = keras.Input((1, 1)), keras.Input((None, 2))
    layer = HardAttention("bilinear", estimator, seed=2, return_attention=True)
    context, attention = layer(query, value)
    logit = keras.layers.Dense(1)(context[:, 0, 1:])
    model = keras.Model([query, value], logit)

    def loss(targets, logits):
        return keras.losses.binary_crossentropy(targets, logits, from_logits=True)

    model.compile(
        keras.optimizers.Adam(0.05),
        reinforce(loss, layer) if estimator == "reinforce" else loss,
    )
    model.fit([queries, values], targets[:, None], batch_size=64, epochs=15, verbose=0)
    found = keras.Model([query, value], attention).predict(
        [queries, values], batch_size=count, verbose=0
    )
    assert (found[:, 0].argmax(axis=-1) == places).mean() > 0.95


def test_the_regulariser_spreads_an_attention():
    """All queries read the last unit at first. The loss asks that each unit be read once."""
    query = keras.Input((4, 4))
    soft = SoftAttention("bilinear", return_attention=True)
    _, attention = soft(query, query)
    model = keras.Model(query, DoublyStochastic()(attention))
    soft.set_weights([np.array([[0.0, 0.0, 0.1, 2.0]] * 4) + np.eye(4) / 10])
    model.compile(keras.optimizers.Adam(0.1))
    units = np.eye(4, dtype="float32")[None]
    before = model.predict_on_batch(units).sum(axis=1)
    for _ in range(60):
        model.train_on_batch(units)
    after = model.predict_on_batch(units).sum(axis=1)
    assert before.max() > 2.0
    np.testing.assert_allclose(after, 1.0, atol=0.1)


WORDS = 6


def recall() -> tuple[np.ndarray, list[np.ndarray], list[np.ndarray]]:
    """Sentences of six words in any order, with a label at each.

    For the word one and the word three further in the vocabulary: where it stands, `(256, 6)`, and
    its label.
    """
    generator = np.random.default_rng(0)
    ids = np.array([generator.permutation(WORDS) for _ in range(256)])
    labels = generator.choice([-1.0, 1.0], size=ids.shape)
    units = np.concatenate([np.eye(WORDS)[ids], labels[..., None]], axis=-1)
    places = [
        np.take_along_axis(np.argsort(ids, axis=1), (ids + k) % WORDS, axis=1) for k in (1, 3)
    ]
    return units, places, [np.take_along_axis(labels, place, axis=1) for place in places]


def fitted(model: keras.Model, units: np.ndarray, targets: np.ndarray, seed: int) -> None:
    """Trained from the same first weights on every backend."""
    generator = np.random.default_rng(seed)
    model.set_weights([generator.normal(size=w.shape) / 3 for w in model.get_weights()])
    model.compile(keras.optimizers.Adam(0.1), "mse")
    keras.utils.set_random_seed(seed)
    model.fit(units, targets, batch_size=64, epochs=15, verbose=0)


def test_self_attention_learns_to_read_another_word():
    units, (place, _), (label, _) = recall()
    given_units = keras.Input((None, WORDS + 1))
    result, attention = SelfAttention(8, return_attention=True)(given_units)
    model = keras.Model(given_units, keras.layers.Dense(1)(result))
    fitted(model, units, label[..., None], seed=0)
    found = keras.Model(given_units, attention).predict(units, batch_size=256, verbose=0)
    assert (found.argmax(axis=-1) == place).mean() > 0.95


def test_two_heads_learn_to_read_two_words_at_once():
    units, places, labels = recall()
    given_units = keras.Input((None, WORDS + 1))
    layer = MultiHeadAttention(2, 8, output_dim=2, return_attention=True)
    result, attention = layer(given_units, given_units)
    fitted(keras.Model(given_units, result), units, np.stack(labels, axis=-1), seed=0)
    found = keras.Model(given_units, attention).predict(units, batch_size=256, verbose=0)
    hits = [[(found[:, head].argmax(axis=-1) == p).mean() for p in places] for head in (0, 1)]
    # One head for each word, whichever.
    assert max(min(hits[0][0], hits[1][1]), min(hits[0][1], hits[1][0])) > 0.9


def test_it_learns_which_word_of_which_sentence_counts():
    """The label stands at the one marked word; every other word has a label of its own."""
    generator = np.random.default_rng(0)
    count, sentences, length = 512, 3, 4
    place = generator.integers(0, sentences * length, count)
    marks = np.eye(sentences * length)[place].reshape(count, sentences, length)
    labels = generator.choice([-1.0, 1.0], size=marks.shape)
    words = np.stack([marks, labels], axis=-1).astype("float32")
    targets = (labels * marks).sum(axis=(1, 2)) > 0

    given_words = keras.Input((None, None, 2))
    layer = HierarchicalAttention(4, return_attention=True)
    document, word_attention, sentence_attention = layer(given_words)
    model = keras.Model(given_words, keras.layers.Dense(1, "sigmoid")(document))
    generator = np.random.default_rng(1)
    model.set_weights([generator.normal(size=w.shape) / 2 for w in model.get_weights()])
    model.compile(keras.optimizers.Adam(0.1), "binary_crossentropy")
    keras.utils.set_random_seed(0)
    model.fit(words, targets[:, None], batch_size=64, epochs=15, verbose=0)
    by_word, by_sentence = keras.Model(given_words, [word_attention, sentence_attention]).predict(
        words, batch_size=count, verbose=0
    )
    whole = (by_word * by_sentence[..., None]).reshape(count, -1)
    assert (whole.argmax(axis=-1) == place).mean() > 0.95
