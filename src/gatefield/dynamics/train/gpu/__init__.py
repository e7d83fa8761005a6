"""What makes training fast on a GPU: loops that do not ask the host, and one kernel for a whole step of a committee."""
