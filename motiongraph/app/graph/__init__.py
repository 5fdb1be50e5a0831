"""The graph room: building, seeing and storing the motion graph."""
