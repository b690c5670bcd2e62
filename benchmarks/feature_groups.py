"""What the groups of features are worth by themselves: logistic regression on each.

WikiQA and SICK are measured on dev, MSRP, whose dev part is small, by ten-fold cross-validation on
its training pairs. Test is not read. `python benchmarks/feature_groups.py [--data FOLDER]`
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from abcnn.evaluation.classification import classification_measures
from abcnn.evaluation.ranking import ranking_measures
from abcnn.features.cache import FeatureCache
from abcnn.features.extraction import Extraction
from abcnn.pairs import PairBatch
from abcnn.readers import label_ids, label_names, read_pairs
from abcnn.tasks import TASKS
from abcnn.text.tokenizer import Tokenizer
from abcnn.training.options import TrainingOptions
from abcnn.training.prepare import prepare

CORPORA = {
    "answer-selection": ("wikiqa/WikiQA-train.tsv", "wikiqa/WikiQA-dev.tsv"),
    "paraphrase": ("msrp/msr_paraphrase_train.txt", None),
    "entailment": ("sick/SICK_train.txt", "sick/SICK_trial.txt"),
}
CHOICES = {
    "the default": None,
    "lexical": ("lexical",),
    "paper": ("paper",),
    "translation": ("translation",),
    "lexical,relations": ("lexical", "relations"),
    "lexical,translation": ("lexical", "translation"),
    "all": ("lexical", "translation", "relations"),
}


def columns(task: str, train: PairBatch, dev: PairBatch | None, words, vectors: Path, extraction):
    """The features of training and dev pairs, fitted on the former."""
    options = TrainingOptions(features=words).for_task(TASKS[task])
    prepared = prepare(train, TASKS[task], options, vectors, extraction=extraction)
    features = prepared.encoder.features
    tokenizer = Tokenizer()
    both = [prepared.pairs.features]
    if dev is not None:
        left, right = ([tokenizer(text) for text in side] for side in (dev.left, dev.right))
        both.append(features(left, right))
    return features.names, both


def measure(task: str, folder: Path, words, extraction: Extraction) -> dict[str, float | int]:
    train_file, dev_file = CORPORA[task]
    train = read_pairs(folder / train_file, require_labels=True).pairs
    dev = read_pairs(folder / dev_file, require_labels=True).pairs if dev_file else None
    vectors = folder / "vectors" / "glove.6B.100d.wink.subset.bin"
    names, parts = columns(task, train, dev, words, vectors, extraction)
    labels = label_names(train.labels)
    true = np.array(label_ids(train, labels))
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    if dev is None:
        folds = StratifiedKFold(10, shuffle=True, random_state=0)
        said = cross_val_predict(model, parts[0], true, cv=folds)
        found = classification_measures(true, said, labels).to_dict()
    else:
        model.fit(parts[0], true)
        of_dev = label_ids(dev, labels)
        if TASKS[task].ranks:
            scores = model.predict_proba(parts[1])[:, 1]
            found = ranking_measures(dev.ranking_groups, of_dev, scores).to_dict()
        else:
            found = classification_measures(of_dev, model.predict(parts[1]), labels).to_dict()
    return {"features": len(names)} | {
        key: round(found[key], 4) for key in ("map", "mrr", "accuracy", "f1") if key in found
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    folder = parser.parse_args().data
    extraction = Extraction(os.cpu_count() or 1, FeatureCache.of_user())
    for task in CORPORA:
        for name, words in CHOICES.items():
            print(task, name, json.dumps(measure(task, folder, words, extraction)), flush=True)


if __name__ == "__main__":
    main()
