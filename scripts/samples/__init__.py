"""The bundled sample clips, made from formulas: a person of 1.75 m who stands, walks, runs, sneaks, jumps and turns.

Feet first: footprints and their times are planned (`plan`), each foot rolls and swings from one to the next
(`feet`), the pelvis follows from where the feet bear weight (`pelvis`), legs are solved exactly and the trunk and
arms are laid on top (`pose`). `gaits` holds the numbers of each way to move, `clips` the clips.
"""
