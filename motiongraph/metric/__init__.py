"""The distance between two pieces of motion, and where it is smallest."""
