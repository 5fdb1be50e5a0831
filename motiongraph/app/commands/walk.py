"""Asking for new motion, and for what was made."""
