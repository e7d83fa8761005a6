"""The store on disk: records, checkpoints, and the marker that says what of them is whole."""
