#include "frame.glsl"
#include "colour.glsl"
#include "surroundings.glsl"
in vec3 far_place;
out vec4 pixel;

void main() {
    pixel = vec4(dithered(sky(normalize(far_place - eye.xyz)), gl_FragCoord.xy), 1.0);
}
