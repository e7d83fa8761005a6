"""What is read off a field, a gate or a kernel."""

from gatefield.measures.gabor.atom import gabor as gabor
from gatefield.measures.gabor.fit import GaborFit as GaborFit
from gatefield.measures.gabor.fit import gabor_fit as gabor_fit
from gatefield.measures.gate_changes import flipped_gates as flipped_gates
from gatefield.measures.gate_changes import gate_change as gate_change
from gatefield.measures.gate_changes import subnetwork_overlap as subnetwork_overlap
from gatefield.measures.gate_stability import gate_stability as gate_stability
from gatefield.measures.gates_activity import PathShares as PathShares
from gatefield.measures.gates_activity import active_gates as active_gates
from gatefield.measures.gates_activity import carrying_share as carrying_share
from gatefield.measures.gates_activity import path_shares as path_shares
from gatefield.measures.gates_activity import sensitive_gates as sensitive_gates
from gatefield.measures.gates_activity import sensitivity_threshold as sensitivity_threshold
from gatefield.measures.gates_activity import subnetwork_sizes as subnetwork_sizes
from gatefield.measures.kurtosis import excess_kurtosis as excess_kurtosis
from gatefield.measures.label_alignment import alignment_ridge as alignment_ridge
from gatefield.measures.label_alignment import label_alignment as label_alignment
from gatefield.measures.likeness import aligned as aligned
from gatefield.measures.likeness import best_match as best_match
from gatefield.measures.likeness import cosine as cosine
from gatefield.measures.likeness import groups as groups
from gatefield.measures.likeness import shifted_cosine as shifted_cosine
from gatefield.measures.localization import circular_distance as circular_distance
from gatefield.measures.localization import entropies as entropies
from gatefield.measures.localization import ipr as ipr
from gatefield.measures.localization import peak_position as peak_position
from gatefield.measures.localization import position_resultant as position_resultant
from gatefield.measures.localized import FLAT_FIELDS as FLAT_FIELDS
from gatefield.measures.localized import LOCALIZED as LOCALIZED
from gatefield.measures.localized import localized as localized
from gatefield.measures.localized import localized_ipr as localized_ipr
from gatefield.measures.spacing import SpacingTest as SpacingTest
from gatefield.measures.spacing import peak_spacing as peak_spacing
from gatefield.measures.spacing import peak_spacing_law as peak_spacing_law
from gatefield.measures.spacing import peak_spacing_test as peak_spacing_test
from gatefield.measures.spectrum import cumulative_spectrum as cumulative_spectrum
from gatefield.measures.uncertainty import ONE_SIDED_BOUND as ONE_SIDED_BOUND
from gatefield.measures.uncertainty import analytic_signal as analytic_signal
from gatefield.measures.uncertainty import frequency_resultant as frequency_resultant
from gatefield.measures.uncertainty import harper_bound as harper_bound
from gatefield.measures.uncertainty import harper_slack as harper_slack
from gatefield.measures.uncertainty import spreads as spreads

__all__ = [
    "FLAT_FIELDS",
    "LOCALIZED",
    "ONE_SIDED_BOUND",
    "GaborFit",
    "PathShares",
    "SpacingTest",
    "active_gates",
    "aligned",
    "alignment_ridge",
    "analytic_signal",
    "best_match",
    "carrying_share",
    "circular_distance",
    "cosine",
    "cumulative_spectrum",
    "entropies",
    "excess_kurtosis",
    "flipped_gates",
    "frequency_resultant",
    "gabor",
    "gabor_fit",
    "gate_change",
    "gate_stability",
    "groups",
    "harper_bound",
    "harper_slack",
    "ipr",
    "label_alignment",
    "localized",
    "localized_ipr",
    "path_shares",
    "peak_position",
    "peak_spacing",
    "peak_spacing_law",
    "peak_spacing_test",
    "position_resultant",
    "sensitive_gates",
    "sensitivity_threshold",
    "shifted_cosine",
    "spreads",
    "subnetwork_overlap",
    "subnetwork_sizes",
]
