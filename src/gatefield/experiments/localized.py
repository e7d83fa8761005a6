"""From when on a field counts as localized, for all experiments that judge it alike."""

LOCALIZED = 0.15
"""The least IPR of a localized field: that of six or seven equal sites, twice that of a random field on 40 sites."""
