"""Scoring: a trained matcher over pairs, tables and streams."""
