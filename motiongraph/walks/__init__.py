"""Ways through a motion graph: wandering, covering an order, connecting, following a path, reaching a place."""
