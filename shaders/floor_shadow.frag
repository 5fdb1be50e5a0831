// Takes from the floor the share of its light that shadows keep away; multiplied into what is there.
#include "frame.glsl"
#include "colour.glsl"
#include "light.glsl"
#include "floor.glsl"
in vec3 place;
out vec4 pixel;

void main() {
    vec3 kept = daylight(sunlight(place, vec3(0.0, 1.0, 0.0))) / daylight(1.0);
    pixel = vec4(mix(vec3(1.0), kept, floor_fade(place)), 1.0);
}
