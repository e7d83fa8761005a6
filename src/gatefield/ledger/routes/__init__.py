"""Independent computations: enumeration, quadrature, differences, sampling, training by hand, and equations as printed.

Nothing here imports the rest of gatefield: NumPy and SciPy only, so that no estimate can lean on the formula it checks; a
contract of the import linter keeps this. Functions return plain numbers and arrays, or a mean and its standard error.
"""
