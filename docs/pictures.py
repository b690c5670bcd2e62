"""The pictures of `attention.md`: small models, trained on the samples, on one pair of sentences.

`python docs/pictures.py` writes them to `docs/assets/attention/`, in a minute or two. Soft, local
and hard attention are shown over the word vectors that ABCNN-1 has learnt, with one match score.
"""

from __future__ import annotations

import io
import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from keras import ops

from abcnn import layers
from abcnn.explanation import Attention, Explanation, explain
from abcnn.explanation.picture import draw_attention
from abcnn.scoring.matcher import Matcher
from abcnn.tables import whole_file
from abcnn.tasks import TASKS
from abcnn.training.files import train_files
from abcnn.training.options import TrainingOptions

DOCS = Path(__file__).resolve().parent
SAMPLES = DOCS.parent / "data" / "samples" / "paraphrase"
LEFT, RIGHT = "The game ended at dawn .", "At sunrise , the game finished ."
SMALL: dict[str, Any] = {"dim": 32, "epochs": 30, "patience": 10, "lowercase": True}


def trained(**options: Any) -> Matcher:
    """A small model."""
    with tempfile.TemporaryDirectory() as folder:
        return train_files(
            TASKS["paraphrase"],
            Path(folder) / "bundle",
            options=TrainingOptions(**SMALL, **options),
            device="cpu",
            **{f"{part}_file": str(SAMPLES / f"{part}.tsv") for part in ("train", "dev")},
        ).matcher


def over_vectors(layer: layers.SoftAttention, matcher: Matcher, like: Attention) -> Attention:
    """What a layer attends to among the matcher's word vectors, with the words of `like`."""
    encode, table = matcher.encoder, matcher.network.get_layer("vectors").get_weights()[0]
    left, right = (
        table[encode.vocabulary.encode(encode.tokenizer(text))][None] for text in (LEFT, RIGHT)
    )
    layer.build(left.shape, right.shape)
    [shown] = layer.attentions(left, right)
    name = type(layer).__name__
    return replace(like, layer=name, name=name, matrix=ops.convert_to_numpy(shown.matrix)[0])


def draw(name: str, explanation: Explanation, attention: Attention) -> None:
    """Write one picture, without the spaces that its lines start with."""
    svg = io.BytesIO()
    draw_attention(explanation, attention, svg, "svg")
    with whole_file(DOCS / "assets" / "attention" / f"{name}.svg") as file:
        file.write(re.sub(rb"\n +", b"\n", svg.getvalue()))
    print(name, flush=True)


def main() -> None:
    matcher = trained(model="abcnn-1", width=3)
    why = explain(matcher, LEFT, RIGHT)
    draw("abcnn-1", why, why.attentions[0])
    for name, layer in {
        "soft": layers.SoftAttention("scaled_dot"),
        "local": layers.LocalAttention(2, match_score="scaled_dot"),
        "hard": layers.HardAttention("scaled_dot"),
    }.items():
        draw(name, why, over_vectors(layer, matcher, why.attentions[0]))
    why = explain(trained(model="abcnn-2", width=2), LEFT, RIGHT)
    draw("abcnn-2", why, why.attentions[0])
    why = explain(trained(model="transformer", hidden_dim=32, heads=2), LEFT, RIGHT)
    for one in why.attentions:
        if one.name == "cross_attention" and one.rows.side == "left":
            draw(f"head-{one.head}", why, one)


if __name__ == "__main__":
    main()
