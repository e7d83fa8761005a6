"""Mean kernels of wide networks, whose sums are Gaussian: gates of their own, of another network, and soft ones."""

from gatefield.kernels.wide.limits import wide_galu_ntk as wide_galu_ntk
from gatefield.kernels.wide.limits import wide_relu_ntk as wide_relu_ntk
from gatefield.kernels.wide.soft import soft_overlap as soft_overlap
from gatefield.kernels.wide.soft import soft_slope_overlap as soft_slope_overlap
from gatefield.kernels.wide.soft import wide_soft_galu_ntk as wide_soft_galu_ntk
from gatefield.kernels.wide.soft_relu import wide_soft_relu_ntk as wide_soft_relu_ntk

__all__ = ["soft_overlap", "soft_slope_overlap", "wide_galu_ntk", "wide_relu_ntk", "wide_soft_galu_ntk", "wide_soft_relu_ntk"]
