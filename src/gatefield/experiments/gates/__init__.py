"""What gates do, and how they come about."""
