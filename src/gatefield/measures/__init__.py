"""What is read off a field, a gate or a kernel."""

from gatefield.measures._kurtosis import excess_kurtosis as excess_kurtosis
from gatefield.measures._localization import circular_distance as circular_distance
from gatefield.measures._localization import entropies as entropies
from gatefield.measures._localization import ipr as ipr
from gatefield.measures._localization import peak_position as peak_position
from gatefield.measures._localization import position_resultant as position_resultant

__all__ = ["circular_distance", "entropies", "excess_kurtosis", "ipr", "peak_position", "position_resultant"]
