"""What is drawn and how: plain data (frame.py), geometry, and the passes of the renderer (renderer.py)."""
