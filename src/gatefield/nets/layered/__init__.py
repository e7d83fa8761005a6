"""Deep and convolutional networks: layers behind gates."""
