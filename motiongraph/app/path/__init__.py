"""The path room: the path on the floor."""
