"""The drift of any source: in closed form, by exact sums, by the closure or by sampling."""
