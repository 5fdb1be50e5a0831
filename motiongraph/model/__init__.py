"""Skeletons, clips and what can be known of them without a second clip."""
