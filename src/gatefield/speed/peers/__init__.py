"""What a user would otherwise run, as fast as it can plainly be written; each file is one peer.

Nothing here uses gatefield for what it is compared in, and a test sees that each gives the same as gatefield.
"""
