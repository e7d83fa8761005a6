"""Mean kernels of wide networks, whose sums are Gaussian: gates of their own, of another network, and soft ones."""

from gatefield.kernels.wide.limits import wide_galu_ntk as wide_galu_ntk
from gatefield.kernels.wide.limits import wide_relu_ntk as wide_relu_ntk

__all__ = ["wide_galu_ntk", "wide_relu_ntk"]
