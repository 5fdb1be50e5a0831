"""The matrix room: two clips compared, cell by cell."""
