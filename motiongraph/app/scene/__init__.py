"""The scene room: what is shown, and from where."""
