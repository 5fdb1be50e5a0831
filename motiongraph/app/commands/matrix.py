"""Asking the matrix panel. Cells are (row, column) of the matrix."""
