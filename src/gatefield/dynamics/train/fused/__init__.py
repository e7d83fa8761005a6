"""One kernel for a whole step of a committee on a GPU: samples, forward and backward pass in one go."""
