"""Networks behind soft gates: the parts of their kernels, and which gates and paths are sensitive."""
