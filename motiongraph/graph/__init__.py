"""The motion graph: transitions between clips, what survives pruning, and how it is kept."""
