"""What is trained at the points of a sweep: made from tables or by recipes, and stacked for one program."""
