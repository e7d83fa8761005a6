"""What `gatefield bench` found."""
