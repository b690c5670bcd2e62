"""The page that lies beside an exported model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abcnn.text.vocabulary import EMPTY

if TYPE_CHECKING:
    from abcnn.scoring.matcher import Matcher

_TEXT = """\
import abcnn.runtime

scorer = abcnn.runtime.load("THIS_FOLDER")
said = scorer.predict([("Who wrote it?", "It was written by the doctor.")])
print(said.scores, said.label_names)
"""
_SAVED_MODEL = """\
import tensorflow as tf

serve = tf.saved_model.load("THIS_FOLDER/saved_model").signatures["serving_default"]
logits = serve(left=left, right=right, features=features)["logits"]
"""
_LITERT = """\
from ai_edge_litert.interpreter import Interpreter

serve = Interpreter("THIS_FOLDER/model.tflite").get_signature_runner("serving_default")
logits = serve(left=left, right=right, features=features)["logits"]
"""
_NEEDS = {
    "numpy": "NumPy alone computes.",
    "onnx": "ONNX Runtime computes (`pip install 'abcnn[onnx]'`); `model.onnx` runs in any other "
    "runtime too.",
    "saved_model": "TensorFlow computes, TensorFlow Serving too.",
    "litert": "LiteRT computes (`pip install 'abcnn[litert]'`).",
}
_CODE = {"numpy": _TEXT, "onnx": _TEXT, "saved_model": _SAVED_MODEL, "litert": _LITERT}


def readme(matcher: Matcher, form: str, packing: str) -> str:
    """How to score with an export, and what its input and output are, as Markdown."""
    config = matcher.config
    calibrated = ["", "`calibration` in `config.json` maps the logits before that."]
    both = [
        "",
        "The logits of a pair are the mean of those of both its orders, each with features of its "
        "own.",
    ]
    features = ", ".join(matcher.encoder.features.names) or "none"
    inputs = "`left`, `right`"
    empty = ""
    if config.rest_network:
        inputs += ", `left_rest`, `right_rest`"
        empty = "; a rest is what is left of a sentence without the words of the other one, or else"
        empty += f" `{EMPTY}`"
    return "\n".join(
        [
            f"# {matcher.name} for {matcher.task.name}, exported as {form}",
            "",
            f"{_NEEDS[form]} Word vectors are stored as {packing}.",
            "",
            "```python",
            _CODE[form] + "```",
            "",
            "| tensor | type | shape | what |",
            "| --- | --- | --- | --- |",
            f"| {inputs} | int32 | `(batch, length)`, at most {matcher.encoder.max_length} "
            "long | word ids: word `i` of `vocabulary.txt` (from 0) is `i + 2`, 1 an unknown word, "
            f"0 fills up{empty} |",
            f"| `features` | float32 | `(batch, {config.features})` | {features}; less `mean`, "
            "divided by `scale` of `config.json` |",
            f"| `logits` | float32 | `(batch, {config.outputs})` | the output |",
            "",
            _decision(matcher),
            *(calibrated if matcher.calibration else []),
            *(both if matcher.encoder.both_orders else []),
            "",
            "`abcnn.load(BUNDLE).encode(left, right).inputs(...)` makes the inputs from text as "
            "the model knows it: `config.json` names the tokeniser, `words.json` what the features "
            "know of words.",
            "",
        ]
    )


def _decision(matcher: Matcher) -> str:
    """From logits to what they say, in words."""
    one_logit, grades = matcher.config.outputs == 1, matcher.grades
    if grades is not None and one_logit:
        width = grades.high - grades.low
        return f"One logit: the grade is `{grades.low:g} + {width:g} / (1 + exp(-logit))`."
    if grades is not None:
        return f"A logit a grade, {grades}: the grade is the mean under the softmax of them."
    if one_logit:
        return (
            f"One logit, that of `{matcher.labels[-1]}`: its probability is "
            "`1 / (1 + exp(-logit))`, and it is decided for from "
            f"{matcher.threshold:.4f} on."
        )
    return (
        f"A logit a label, in the order {', '.join(matcher.labels)}: probabilities are their "
        "softmax, and the label of the largest is decided for."
    )
