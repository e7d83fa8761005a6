"""What is trained."""

from gatefield.nets.committee import Committee as Committee
from gatefield.nets.conv_gated import ConvGated as ConvGated
from gatefield.nets.deep_gated import DeepGated as DeepGated
from gatefield.nets.gated_linear import GatedLinear as GatedLinear
from gatefield.nets.layered.gating import Gating as Gating
from gatefield.nets.network import Network as Network

__all__ = ["Committee", "ConvGated", "DeepGated", "GatedLinear", "Gating", "Network"]
