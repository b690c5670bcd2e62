"""Ranks within groups, against loops."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from abcnn.scoring.ranks import group_code, ranks_in_groups

rows = st.lists(
    st.tuples(
        st.sampled_from([-(2**63), -1, 0, 7, 2**63 - 1]),
        st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, float("nan")]),
    ),
    max_size=30,
)


@settings(max_examples=200, deadline=None)
@given(rows)
def test_ranks_are_what_loops_count(rows):
    groups = np.array([group for group, _ in rows], dtype=np.int64)
    scores = np.array([score for _, score in rows], dtype=np.float64)
    expected = [
        0
        if np.isnan(score)
        else 1
        + sum(
            other_group == group and (other > score or (other == score and place < row))
            for place, (other_group, other) in enumerate(rows)
        )
        for row, (group, score) in enumerate(rows)
    ]
    ranks = ranks_in_groups(groups, scores)
    assert ranks.dtype == np.int64
    assert ranks.tolist() == expected


def test_group_codes_are_the_same_in_every_process_and_differ():
    assert group_code("q1") == 7530267129497158631  # BLAKE2b-64, little-endian
    codes = [group_code(f"Q{number}") for number in range(10_000)]
    assert len(set(codes)) == 10_000
    assert all(-(2**63) <= code < 2**63 for code in codes)
    assert group_code("half \ud83d") != group_code("half ")
