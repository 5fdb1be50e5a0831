#include "surface.glsl"
