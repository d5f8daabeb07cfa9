"""A bootstrap of fewer documents than the corpus has is called what it is."""

import numpy as np
import pytest

from socialbias.embeddings.samples import m_out_of_n


@pytest.mark.parametrize(
    ("samples", "said"),
    [
        ([[1, 0, 2, 0], [0, 3, 0, 0]], "m out of n: each model has 3 of 4 documents"),
        ([[1, 1, 2, 0], [0, 4, 0, 0]], ""),
    ],
)
def test_a_smaller_sample_is_said(tmp_path, samples, said):
    paths = [tmp_path / f"{i}.npy" for i, _ in enumerate(samples)]
    for path, counts in zip(paths, samples, strict=True):
        np.save(path, np.array(counts, np.uint16))
    assert m_out_of_n(paths) == said


def test_many_documents_do_not_overflow_their_small_counts(tmp_path):
    path = tmp_path / "inclusion.npy"
    np.save(path, np.full(70_000, 2, np.uint16))
    assert m_out_of_n([path]) == ""
