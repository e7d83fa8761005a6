"""Error-function units s(h) = erf(h/sqrt 2) with biases on Gaussian data: expectations, gradient flow, loss, linear stage."""

from gatefield.theory.erf.bivariate import bivariate_cdf as bivariate_cdf
from gatefield.theory.erf.expectations import kernel as kernel
from gatefield.theory.erf.expectations import mean as mean
from gatefield.theory.erf.expectations import product_slope_input_mean as product_slope_input_mean
from gatefield.theory.erf.expectations import product_slope_mean as product_slope_mean
from gatefield.theory.erf.expectations import slope_input_mean as slope_input_mean
from gatefield.theory.erf.expectations import slope_mean as slope_mean
from gatefield.theory.erf.flow import loss as loss
from gatefield.theory.erf.flow import velocity as velocity
from gatefield.theory.erf.linear import bias_velocity as bias_velocity
from gatefield.theory.erf.linear import linear_rates as linear_rates

__all__ = [
    "bias_velocity",
    "bivariate_cdf",
    "kernel",
    "linear_rates",
    "loss",
    "mean",
    "product_slope_input_mean",
    "product_slope_mean",
    "slope_input_mean",
    "slope_mean",
    "velocity",
]
