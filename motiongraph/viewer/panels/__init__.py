"""The panels: functions of the state that show it and issue commands; they create no OpenGL objects."""
