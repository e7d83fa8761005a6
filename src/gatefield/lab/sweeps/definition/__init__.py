"""What a sweep is: its axes, its points and their ids."""
