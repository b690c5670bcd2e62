"""Measures of rankings, labels and grades, and TREC's files; numpy only."""
