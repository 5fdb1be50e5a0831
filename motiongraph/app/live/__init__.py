"""The live room: a character that is led."""
