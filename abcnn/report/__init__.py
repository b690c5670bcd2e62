"""A page on how a model does on a file."""
