"""What is trained."""

from gatefield.nets._committee import Committee as Committee
from gatefield.nets._conv_gated import ConvGated as ConvGated
from gatefield.nets._deep_gated import DeepGated as DeepGated
from gatefield.nets._gated_linear import GatedLinear as GatedLinear
from gatefield.nets._network import Network as Network

__all__ = ["Committee", "ConvGated", "DeepGated", "GatedLinear", "Network"]
