"""The reproduction map: each item of the sources, what gatefield has of it, what became of it, and what is missing."""
