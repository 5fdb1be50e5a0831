"""The window and everything drawn in it. Nothing below the roof imports this package."""
