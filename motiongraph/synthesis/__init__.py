"""From walks to motion: stitching, blending, footplants, and how good the result is."""
