"""From the text of pairs to what a network reads, the same way in training and in scoring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from abcnn.features.pair_features import PairFeatures
from abcnn.text.batches import EncodedPairs, Ragged, encode
from abcnn.text.tokenizer import Tokenizer
from abcnn.text.vocabulary import Vocabulary


@dataclass(frozen=True)
class PairEncoder:
    """Tokeniser, vocabulary and features of a trained model.

    Sentences longer than `max_length` tokens are cut and counted (`EncodedPairs.truncated`); the
    features see the whole sentence. With `both_orders` the network reads each pair in both orders,
    and encoding gives `EncodedPairs.swapped`, too.
    """

    tokenizer: Tokenizer
    vocabulary: Vocabulary = field(repr=False)
    features: PairFeatures
    max_length: int
    both_orders: bool = False

    def __call__(self, left: Sequence[str], right: Sequence[str]) -> EncodedPairs:
        """Encode pairs of sentences, each distinct sentence once."""
        tokens = {text: self.tokenizer(text) for text in {*left, *right}}
        return self.of_tokens([tokens[text] for text in left], [tokens[text] for text in right])

    def of_tokens(self, left: Sequence[list[str]], right: Sequence[list[str]]) -> EncodedPairs:
        """Encode pairs that are tokenised already."""
        left_ids, right_ids = self._ids(left), self._ids(right)
        swapped = None
        if self.both_orders:
            swapped = EncodedPairs(right_ids, left_ids, self.features(right, left))
        return EncodedPairs(left_ids, right_ids, self.features(left, right), swapped=swapped)

    def _ids(self, sentences: Sequence[list[str]]) -> Ragged:
        return encode(sentences, self.vocabulary, self.max_length)
