"""Motion-capture files: reading ASF/AMC and BVH, writing those and glTF."""
