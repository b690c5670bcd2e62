"""Whether a checkpoint belongs to a run."""

from __future__ import annotations

import hashlib
import json

import keras
import numpy as np

from abcnn.tasks import Task
from abcnn.text.batches import EncodedPairs
from abcnn.training.options import TrainingOptions
from abcnn.training.prepare import Prepared


def fingerprint(task: Task, options: TrainingOptions, prepared: Prepared, dev: EncodedPairs) -> str:
    """A checksum of all that decides the weights after an epoch, and which epoch is best.

    How long to go on does not, nor what follows the last epoch, so an interrupted run may be given
    more epochs; unless the learning rate falls over all of them.
    """
    digest = hashlib.sha256()
    later = {"patience": None, "calibrate": None, "train_on_dev": None}
    decisive = options.to_dict() | later
    if not options.scheduled:
        decisive["epochs"] = None
    digest.update(
        json.dumps(
            [task.name, decisive, keras.config.dtype_policy().name, keras.backend.backend()]
        ).encode()
    )
    digest.update(np.ascontiguousarray(prepared.vectors).tobytes())
    for pairs in (prepared.pairs, dev):
        for array in (
            *(pairs.left.ids, pairs.left.offsets, pairs.right.ids, pairs.right.offsets),
            *(pairs.features, pairs.labels, pairs.groups),
            *(part for rest in pairs.rests for part in (rest.ids, rest.offsets)),
        ):
            digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    if prepared.pairs.teacher is not None:
        digest.update(prepared.pairs.teacher.tobytes())
    return digest.hexdigest()
