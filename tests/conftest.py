"""What all tests share. Types are checked while they run, by jaxtyping and beartype."""

import jaxtyping
import pytest


@pytest.fixture(autouse=True)
def _as_users_call(request):
    """In tests marked `wrong_types` nothing is checked, so that one sees what users see."""
    off = request.node.get_closest_marker("wrong_types") is not None
    jaxtyping.config.update("jaxtyping_disable", off)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)
