"""The project room: saving, opening, autosaving."""
