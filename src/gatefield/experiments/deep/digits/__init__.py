"""What the experiments on handwritten digits share."""
