"""Everything the program decides, without a window: one state, the commands that change it, work beside the loop."""
