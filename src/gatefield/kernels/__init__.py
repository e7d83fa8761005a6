"""Exact kernels of gated networks: tangent kernels, paths, moments over weights, wide limits, soft gates, convolutions."""

from gatefield.kernels.bundles import PathBundles as PathBundles
from gatefield.kernels.bundles import path_bundles as path_bundles
from gatefield.kernels.convolution import conv_gap_moment as conv_gap_moment
from gatefield.kernels.convolution import conv_moment as conv_moment
from gatefield.kernels.convolution import expected_conv_ntk as expected_conv_ntk
from gatefield.kernels.convolution import rotation_terms as rotation_terms
from gatefield.kernels.listed import PathView as PathView
from gatefield.kernels.listed import all_paths as all_paths
from gatefield.kernels.listed import effective_weights as effective_weights
from gatefield.kernels.listed import path_activations as path_activations
from gatefield.kernels.listed import path_features as path_features
from gatefield.kernels.listed import path_strengths as path_strengths
from gatefield.kernels.listed import path_view as path_view
from gatefield.kernels.moments import EntryMoments as EntryMoments
from gatefield.kernels.moments import ntk_variance as ntk_variance
from gatefield.kernels.moments import random_gate_moments as random_gate_moments
from gatefield.kernels.network import tangent_kernel as tangent_kernel
from gatefield.kernels.normalise import cosine_normalised as cosine_normalised
from gatefield.kernels.normalise import trace_normalised as trace_normalised
from gatefield.kernels.passes import gated_pass as gated_pass
from gatefield.kernels.paths import expected_ntk as expected_ntk
from gatefield.kernels.paths import path_kernel as path_kernel
from gatefield.kernels.paths import path_overlap as path_overlap
from gatefield.kernels.paths import paths_through_weight as paths_through_weight
from gatefield.kernels.soft.parts import SoftReluKernels as SoftReluKernels
from gatefield.kernels.soft.parts import soft_relu_ntk as soft_relu_ntk
from gatefield.kernels.soft.parts import strength_and_gate_ntk as strength_and_gate_ntk
from gatefield.kernels.soft.passes import soft_gate as soft_gate
from gatefield.kernels.soft.sensitivity import GateSensitivity as GateSensitivity
from gatefield.kernels.soft.sensitivity import gate_path_sensitivity as gate_path_sensitivity
from gatefield.kernels.soft.sensitivity import gate_sensitivity as gate_sensitivity
from gatefield.kernels.soft.through_gates import gate_ntk_through as gate_ntk_through
from gatefield.kernels.soft.through_gates import gate_parts as gate_parts
from gatefield.kernels.tangent import ntk as ntk
from gatefield.kernels.tangent import ntk_blocks as ntk_blocks
from gatefield.kernels.tangent import outer_kernel as outer_kernel
from gatefield.kernels.wide import soft_overlap as soft_overlap
from gatefield.kernels.wide import soft_slope_overlap as soft_slope_overlap
from gatefield.kernels.wide import wide_galu_ntk as wide_galu_ntk
from gatefield.kernels.wide import wide_relu_ntk as wide_relu_ntk
from gatefield.kernels.wide import wide_soft_galu_ntk as wide_soft_galu_ntk
from gatefield.kernels.wide import wide_soft_relu_ntk as wide_soft_relu_ntk

__all__ = [
    "EntryMoments",
    "GateSensitivity",
    "PathBundles",
    "PathView",
    "SoftReluKernels",
    "all_paths",
    "conv_gap_moment",
    "conv_moment",
    "cosine_normalised",
    "effective_weights",
    "expected_conv_ntk",
    "expected_ntk",
    "gate_ntk_through",
    "gate_parts",
    "gate_path_sensitivity",
    "gate_sensitivity",
    "gated_pass",
    "ntk",
    "ntk_blocks",
    "ntk_variance",
    "outer_kernel",
    "path_activations",
    "path_bundles",
    "path_features",
    "path_kernel",
    "path_overlap",
    "path_strengths",
    "path_view",
    "paths_through_weight",
    "random_gate_moments",
    "rotation_terms",
    "soft_gate",
    "soft_overlap",
    "soft_relu_ntk",
    "soft_slope_overlap",
    "strength_and_gate_ntk",
    "tangent_kernel",
    "trace_normalised",
    "wide_galu_ntk",
    "wide_relu_ntk",
    "wide_soft_galu_ntk",
    "wide_soft_relu_ntk",
]
