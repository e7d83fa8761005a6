"""With this file here, tests in the folders below find `made_up` and `tiny`."""

import pytest

LONG = {
    "amplifier",
    "conditions",
    "erf-populations",
    "gated-linear",
    "kurtosis-law",
    "single-pulse",
    "stability",
    "uncertainty",
    "where",
    "winning-gates",
}
"""Experiments whose smallest runs take longest, a fifth of them with half of the time: `make slow` has them."""


def pytest_collection_modifyitems(items):
    for item in items:
        groups = {mark.args[0] if mark.args else mark.kwargs["name"] for mark in item.iter_markers("xdist_group")}
        if groups & LONG:
            item.add_marker(pytest.mark.slow)
