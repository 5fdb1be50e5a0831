"""Colours of what is drawn, r g b, chosen to be told apart by everyone and to sit well beside a quiet interface."""

CLAY = (0.85, 0.59, 0.45)
SLATE = (0.46, 0.59, 0.74)
SAGE = (0.55, 0.69, 0.54)
BONE = (0.88, 0.86, 0.81)
PLUM = (0.64, 0.52, 0.67)
GOLD = (0.84, 0.72, 0.45)
INK = (0.20, 0.24, 0.30)
SEAM = (0.29, 0.50, 0.82)  # of transitions in made motion

CHARACTERS = (CLAY, SLATE, SAGE, GOLD, PLUM, BONE)
