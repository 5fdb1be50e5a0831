"""The walk room: new motion from the graph, and why it came out so."""
