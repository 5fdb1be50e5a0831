#define SKIN
#include "surface.glsl"
