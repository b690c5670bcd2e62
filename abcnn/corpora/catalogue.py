"""Where the public corpora and word vectors are, under which terms, and how to know their files.

The checksums of WikiQA, MSRP and SICK are those of the files that the README's figures were
measured on; those of SNLI, GloVe and GoogleNews are the ones that several public projects state.
"""

from __future__ import annotations

from dataclasses import dataclass

from abcnn.errors import InputError


@dataclass(frozen=True)
class PublishedFile:
    """A file that abcnn reads.

    `sha256` is that of its bytes, where CR LF may stand for LF; `size`, in bytes, is all that is
    known where it is None. `member` is its name in the archive, where that is another.
    """

    name: str
    sha256: str | None = None
    size: int | None = None
    member: str | None = None


@dataclass(frozen=True)
class Archive:
    """A file that a publisher offers, and the files in it that abcnn reads.

    Without `files` it is itself what is read. `by_hand` is what the user must do to unpack it,
    where no library does.
    """

    name: str
    url: str
    files: tuple[PublishedFile, ...] = ()
    sha256: str | None = None
    size: int | None = None
    by_hand: str = ""

    @property
    def itself(self) -> PublishedFile:
        """The archive as a file that can be checked."""
        return PublishedFile(self.name, self.sha256, self.size)


@dataclass(frozen=True)
class Corpus:
    """A corpus or word vectors: what for, under which terms, where the publisher has them."""

    name: str
    title: str
    task: str
    licence: str
    page: str
    archives: tuple[Archive, ...]


_MICROSOFT = "https://download.microsoft.com/download"
_SEMEVAL = "https://alt.qcri.org/semeval2014/task1/data/uploads"

CATALOGUE: dict[str, Corpus] = {
    corpus.name: corpus
    for corpus in (
        Corpus(
            name="wikiqa",
            title="WikiQA, questions with the sentences of a Wikipedia summary; Microsoft Research",
            task="answer-selection",
            licence="Microsoft Research Data License Agreement, for research only "
            "(LICENSE.pdf in the archive)",
            page="https://www.microsoft.com/download/details.aspx?id=52419",
            archives=(
                Archive(
                    "WikiQACorpus.zip",
                    f"{_MICROSOFT}/E/5/F/E5FCFCEE-7005-4814-853D-DAA7C66507E0/WikiQACorpus.zip",
                    size=7_094_233,
                    files=tuple(
                        PublishedFile(name, sha256)
                        for name, sha256 in (
                            (
                                "WikiQA-train.tsv",
                                "baf373f4c1003e3d383e1217a3fa76ee248e1f0a1b70e23359e619b9b1389999",
                            ),
                            (
                                "WikiQA-dev.tsv",
                                "c44fb3a52182b95f0c48e49ae1f63b6159047cb5812e514d19ae6f069d09297a",
                            ),
                            (
                                "WikiQA-test.tsv",
                                "c035f0db5685dcfe1b2f256ff204528752a1e06f6d1bcae9a1aefac05079b24c",
                            ),
                            (
                                "WikiQA-dev-filtered.ref",
                                "f79cb9958ed6ed5fd734d4b8957aa3398c33a4cd204469a25b020f7c72fc36da",
                            ),
                            (
                                "WikiQA-test-filtered.ref",
                                "b54e30ce1311138309a9417b8ea018b9d26b58404f835d321338182ff0dabbe4",
                            ),
                            (
                                "LICENSE.pdf",
                                "0a7f8a724eb30c1ff1f322d007693b4a0c79a9025ee525c605dfe88dc44eac89",
                            ),
                        )
                    ),
                ),
            ),
        ),
        Corpus(
            name="msrp",
            title="Microsoft Research Paraphrase Corpus, pairs of sentences from news",
            task="paraphrase",
            licence="Microsoft Research's licence for the corpus, shown by its installer",
            page="https://www.microsoft.com/download/details.aspx?id=52398",
            archives=(
                Archive(
                    "MSRParaphraseCorpus.msi",
                    f"{_MICROSOFT}/D/4/6/D46FF87A-F6B9-4252-AA8B-3604ED519838/"
                    "MSRParaphraseCorpus.msi",
                    by_hand="cabextract MSRParaphraseCorpus.msi",
                    files=(
                        PublishedFile(
                            "msr_paraphrase_train.txt",
                            "61a88818ec384d8465297dda1883b469f1b22d442ab90183d13e06233b180591",
                            member="_2DEC3DBE877E4DB192D17C0256E90F1D",
                        ),
                        PublishedFile(
                            "msr_paraphrase_test.txt",
                            "0360d0d3427a0ae14882e2b3a799df0fab6cb5203d5e8ee481949283da62acb6",
                            member="_D7B391F9EAFF4B1B8BCE8F21B20B1B61",
                        ),
                    ),
                ),
            ),
        ),
        Corpus(
            name="sick",
            title="SICK, sentences involving compositional knowledge; SemEval-2014 task 1",
            task="entailment",
            licence="CC BY-NC-SA 3.0, not for commercial use",
            page="https://alt.qcri.org/semeval2014/task1/",
            archives=tuple(
                Archive(archive, f"{_SEMEVAL}/{archive}", (PublishedFile(name, sha256),))
                for archive, name, sha256 in (
                    (
                        "sick_train.zip",
                        "SICK_train.txt",
                        "266cf8047149bd1d68138dd30439f3122bff30069740ac6705bb6197d9f1b48e",
                    ),
                    (
                        "sick_trial.zip",
                        "SICK_trial.txt",
                        "5a88cfb62f8c6bd2a3cce0f2421ba2cb8c2be5ab4a800f6f01e2c64aafb7db56",
                    ),
                    (
                        "sick_test_annotated.zip",
                        "SICK_test_annotated.txt",
                        "4e313cdff4143122ee30541df2821f87f57c85d2763ab1a436fdb9863e34c1cc",
                    ),
                )
            ),
        ),
        Corpus(
            name="snli",
            title="SNLI, captions of photographs with hypotheses; Stanford NLP Group",
            task="entailment",
            licence="CC BY-SA 4.0",
            page="https://nlp.stanford.edu/projects/snli/",
            archives=(
                Archive(
                    "snli_1.0.zip",
                    "https://nlp.stanford.edu/projects/snli/snli_1.0.zip",
                    sha256="afb3d70a5af5d8de0d9d81e2637e0fb8c22d1235c2749d83125ca43dab0dbd3e",
                    files=(
                        PublishedFile(
                            "snli_1.0_train.jsonl",
                            "ee95dfbc57800f7b1f62b7602ad2b176c2b983210435a49238e660324a01e963",
                        ),
                        PublishedFile(
                            "snli_1.0_dev.jsonl",
                            "9c03faff70182ef086ebfeed2cffbabb5fcc6a84a8b3314decbbb5b01f07f4bf",
                        ),
                        PublishedFile(
                            "snli_1.0_test.jsonl",
                            "1147550151ca8b16ddb31d8dc0e739a670a65f7c3e64aac5951eaeff103fb220",
                        ),
                    ),
                ),
            ),
        ),
        Corpus(
            name="glove",
            title="GloVe 6B, vectors of 400,000 words, 50 to 300 dimensions; Stanford NLP Group",
            task="word vectors",
            licence="Public Domain Dedication and License 1.0",
            page="https://nlp.stanford.edu/projects/glove/",
            archives=(
                Archive(
                    "glove.6B.zip",
                    "https://nlp.stanford.edu/data/glove.6B.zip",
                    sha256="617afb2fe6cbd085c235baf7a465b96f4112bd7f7ccb2b2cbd649fed9cbcf2fb",
                    size=862_182_613,
                    files=(
                        PublishedFile("glove.6B.50d.txt", size=171_350_079),
                        PublishedFile(
                            "glove.6B.100d.txt",
                            "95dde4dfd627ab26608d33e76d1195ec059734bd29089ea52cadb08d07c64544",
                        ),
                        PublishedFile("glove.6B.200d.txt"),
                        PublishedFile("glove.6B.300d.txt", size=1_037_962_819),
                    ),
                ),
            ),
        ),
        Corpus(
            name="googlenews",
            title="GoogleNews word2vec, vectors of 3,000,000 words, 300 dimensions; Google",
            task="word vectors",
            licence="Apache License 2.0, that of the word2vec project",
            page="https://code.google.com/archive/p/word2vec/",
            archives=(
                Archive(
                    "GoogleNews-vectors-negative300.bin.gz",
                    "https://drive.usercontent.google.com/download?id=0B7XkCwpI5KDYNlNUTTlSS21pQmM"
                    "&export=download&confirm=t&resourcekey=0-wjGZdNAUop6WykTtMip30g",
                    sha256="21c05ae916a67a4da59b1d006903355cced7de7da1e42bff9f0504198c748da8",
                    size=1_647_046_227,
                ),
            ),
        ),
    )
}


def corpus_named(name: str) -> Corpus:
    """The corpus of a name, or InputError."""
    if name not in CATALOGUE:
        raise InputError(f"`name` must be one of {', '.join(CATALOGUE)}. Received: {name!r}")
    return CATALOGUE[name]
