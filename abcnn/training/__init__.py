"""Training: pairs in, a matcher out."""
