"""Asking for a path on the floor, metres, and for the character to be led."""
