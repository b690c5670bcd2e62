"""From the text of pairs to what a network reads, the same way in training and in scoring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from abcnn.features.pair_features import PairFeatures
from abcnn.features.sentence import words_not_in
from abcnn.text.batches import EncodedPairs, Ragged, encode
from abcnn.text.tokenizer import Tokenizer
from abcnn.text.vocabulary import EMPTY, Vocabulary


def rest_tokens(left: list[str], right: list[str]) -> tuple[list[str], list[str]]:
    """The tokens of either sentence that the other one lacks; `EMPTY` where there are none.

    Source: the NONOVER copies of Yin et al. 2016, section 5.3.
    """
    left_words, right_words = (frozenset(map(str.lower, tokens)) for tokens in (left, right))
    return words_not_in(right_words, left) or [EMPTY], words_not_in(left_words, right) or [EMPTY]


@dataclass(frozen=True)
class PairEncoder:
    """Tokeniser, vocabulary and features of a trained model.

    Sentences longer than `max_length` tokens are cut and counted (`EncodedPairs.truncated`); the
    features see the whole sentence. With `rests` the pairs hold the rests of the sentences too, of
    the same words as the features `left_rest` and `right_rest`: those of the whole sentence that
    the whole other one lacks, then cut as well. Words are compared lower-cased, as words and not as
    ids, so two unknown words are different ones. With `both_orders` the
    network reads each pair in both orders, and encoding gives `EncodedPairs.swapped`, too.
    """

    tokenizer: Tokenizer
    vocabulary: Vocabulary = field(repr=False)
    features: PairFeatures
    max_length: int
    rests: bool = False
    both_orders: bool = False

    def __call__(self, left: Sequence[str], right: Sequence[str]) -> EncodedPairs:
        """Encode pairs of sentences, each distinct sentence once."""
        tokens = {text: self.tokenizer(text) for text in {*left, *right}}
        return self.of_tokens([tokens[text] for text in left], [tokens[text] for text in right])

    def of_tokens(self, left: Sequence[list[str]], right: Sequence[list[str]]) -> EncodedPairs:
        """Encode pairs that are tokenised already."""
        left_ids, right_ids = self._ids(left), self._ids(right)
        rests = self.rests_of(left, right) if self.rests else ()
        swapped = None
        if self.both_orders:
            features = self.features(right, left)
            swapped = EncodedPairs(right_ids, left_ids, features, rests=rests[::-1])
        features = self.features(left, right)
        return EncodedPairs(left_ids, right_ids, features, rests=rests, swapped=swapped)

    def rests_of(
        self, left: Sequence[list[str]], right: Sequence[list[str]]
    ) -> tuple[Ragged, Ragged]:
        """The ids of the rests of the left sentences, and of the right ones."""
        rests = [rest_tokens(*pair) for pair in zip(left, right, strict=True)]
        return self._ids([one for one, _ in rests]), self._ids([other for _, other in rests])

    def _ids(self, sentences: Sequence[list[str]]) -> Ragged:
        return encode(sentences, self.vocabulary, self.max_length)
