"""Sources of inputs, one file each."""
