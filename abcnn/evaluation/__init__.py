"""Ranking and classification measures, and TREC's files; numpy only."""
