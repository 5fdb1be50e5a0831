"""Asking for projects, and to take edits back."""
