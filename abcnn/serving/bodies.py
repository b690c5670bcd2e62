"""What requests and answers hold; the documentation of the interface is made from these."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag


def _of_whole_characters(text: str) -> str:
    # JSON can escape half of a surrogate pair, which no answer could tell back.
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("half of a surrogate pair is no character")
    return text


Text = Annotated[str, AfterValidator(_of_whole_characters)]


class TextPair(BaseModel):
    """Two sentences: question and candidate, premise and hypothesis, or any two."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {"left": "Who wrote it?", "right": "It was written by the doctor."}
        },
    )

    left: Text
    right: Text


class ManyPairs(BaseModel):
    """Many pairs in one request."""

    model_config = ConfigDict(extra="forbid")

    pairs: list[TextPair]


def _one_or_many(body: Any) -> str:
    many = "pairs" in body if isinstance(body, dict) else isinstance(body, ManyPairs)
    return "many" if many else "one"


# Told apart by the name `pairs`, so that a mistake is told once and not for either form.
OneOrManyPairs = Annotated[
    Annotated[TextPair, Tag("one")] | Annotated[ManyPairs, Tag("many")],
    Discriminator(_one_or_many),
]


class PairScore(BaseModel):
    """What the model says of a pair; of one without a score, `note` says why."""

    score: float | None = Field(
        description="A probability: of the last label where there are two, else of `label`; or a "
        "grade, where the model has no labels."
    )
    label: str | None = Field(description="The label decided for, where there are labels.")
    probabilities: dict[str, float] | None = Field(
        description="The probability of each label, where there are labels."
    )
    truncated: list[str] = Field(
        description="The sides, left or right, of which the model read the beginning only."
    )
    note: str | None = Field(description="Why there is no score: an empty or wordless sentence.")


class ManyScores(BaseModel):
    """One result a pair, in the order of the pairs."""

    results: list[PairScore]


class Candidates(BaseModel):
    """A question and the sentences that may answer it."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "question": "Who wrote it?",
                "candidates": ["It was cold.", "The doctor wrote it."],
            }
        },
    )

    question: Text
    candidates: list[Text]


class RankedCandidate(BaseModel):
    """A candidate at its rank, from 1; `index` is its place in the request, from 0."""

    rank: int | None
    index: int
    candidate: str
    score: float | None
    note: str | None


class Ranking(BaseModel):
    """The candidates, best first; those without a score come last."""

    ranking: list[RankedCandidate]


class LimitsBody(BaseModel):
    """What one request may hold."""

    pairs: int
    characters: int
    body_bytes: int
    table_bytes: int


class GradeRange(BaseModel):
    """The lowest and the highest score of a model that grades pairs."""

    low: float
    high: float


class Health(BaseModel):
    """That the server answers, and what it serves."""

    status: str
    version: str
    task: str
    model: str
    labels: list[str]
    grades: GradeRange | None = Field(
        description="Where the model grades pairs and has no labels, the range of its scores."
    )
    threshold: float | None = Field(
        description="Where there are two labels, the score from which the last is decided for."
    )
    max_length: int = Field(description="The tokens of a sentence that the model reads.")
    ranks: bool = Field(description="Whether /rank answers.")
    limits: LimitsBody
