"""Colours of what is drawn, r g b, chosen to be told apart by everyone and to sit well beside a quiet interface."""

CLAY = (0.87, 0.56, 0.40)
SLATE = (0.40, 0.58, 0.78)
SAGE = (0.50, 0.69, 0.49)
BONE = (0.88, 0.86, 0.81)
PLUM = (0.64, 0.47, 0.68)
GOLD = (0.86, 0.71, 0.36)
INK = (0.20, 0.24, 0.30)

CHARACTERS = (CLAY, SLATE, SAGE, GOLD, PLUM, BONE)
