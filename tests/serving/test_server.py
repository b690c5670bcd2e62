"""The socket that is listened on."""

from __future__ import annotations

import socket

import pytest

from abcnn.errors import InputError
from abcnn.serving.server import listen, url_of


def test_an_answer_is_not_held_back():
    """Nagle's algorithm and delayed acknowledgements would add 40 ms to each."""
    with listen("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_the_address_is_one_that_a_browser_takes():
    with listen("127.0.0.1", 0) as listening:
        assert url_of(listening) == f"http://127.0.0.1:{listening.getsockname()[1]}"
    if socket.has_ipv6:
        with listen("::1", 0) as listening:
            assert url_of(listening) == f"http://[::1]:{listening.getsockname()[1]}"


def test_a_port_in_use():
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"127.0.0.1, port {port}: cannot be listened on: "):
            listen("127.0.0.1", port)
