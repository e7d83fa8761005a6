"""With this file here, tests in the folders below find `made_up` and `tiny`."""

import pytest

LONG = {
    "amplifier",
    "bumps",
    "conditions",
    "drift-fields",
    "elliptical",
    "erf-populations",
    "gate-refresh",
    "gated-linear",
    "kurtosis-law",
    "moving-gates",
    "single-pulse",
    "stability",
    "steady-modes",
    "sub-networks",
    "tiling",
    "uncertainty",
    "where",
    "winning-gates",
}
"""Experiments whose smallest runs take longest, a third of them with more than half of the time: `make slow` has them."""


def pytest_collection_modifyitems(items):
    for item in items:
        groups = {mark.args[0] if mark.args else mark.kwargs["name"] for mark in item.iter_markers("xdist_group")}
        if groups & LONG:
            item.add_marker(pytest.mark.slow)
