"""An ensemble in every form of export."""

from dataclasses import replace

import numpy as np
import pytest

from abcnn.errors import InputError
from abcnn.export import FORMATS, export_bundle
from tests.ensembles import with_members
from tests.export.test_forms import PAIRS, scores_of


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("form", FORMATS)
def test_scores_are_those_of_keras(form, shared, trained, tmp_path):
    matcher = replace(with_members(trained("paraphrase").matcher, shared=shared), engine="keras")
    matcher.save(tmp_path / "bundle")
    if form == "litert":
        with pytest.raises(InputError, match="`form` must be numpy, onnx or saved_model"):
            export_bundle(tmp_path / "bundle", tmp_path / "out", form)
        assert not (tmp_path / "out").exists()
        return
    export_bundle(tmp_path / "bundle", tmp_path / "out", form)
    expected = matcher.predict(PAIRS).probabilities
    assert (
        np.abs(expected - trained("paraphrase").matcher.predict(PAIRS).probabilities).max() > 0.01
    )
    np.testing.assert_allclose(scores_of(form, tmp_path / "out", matcher), expected, atol=1e-5)


@pytest.mark.parametrize("packing", ["float16", "int8"])
@pytest.mark.parametrize("form", ["onnx", "saved_model"])
def test_packed_vectors_give_the_same_in_every_form(form, packing, trained, tmp_path):
    matcher = with_members(trained("paraphrase").matcher, shared=True)
    matcher.save(tmp_path / "bundle")
    export_bundle(tmp_path / "bundle", tmp_path / "out", form, vectors=packing)
    export_bundle(tmp_path / "bundle", tmp_path / "numpy", "numpy", vectors=packing)
    np.testing.assert_allclose(
        scores_of(form, tmp_path / "out", matcher),
        scores_of("numpy", tmp_path / "numpy", matcher),
        atol=1e-5,
    )
