"""Serving: a matcher behind HTTP, with a page to try it on; needs the extra `serve`."""
