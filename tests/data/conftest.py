"""What tests of published data sets share."""

import contextlib
import functools
import http.server
import threading

import pytest


@pytest.fixture
def served():
    """Gives a context in which a folder is a mirror on this machine, with its address."""
    return _served


@contextlib.contextmanager
def _served(folder):
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
