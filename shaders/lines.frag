// A line with an edge one pixel soft.
#include "frame.glsl"
#include "colour.glsl"
in vec4 colour;
in float across;
flat in float edge;
out vec4 pixel;

void main() {
    float inside = clamp((1.0 - abs(across)) * edge, 0.0, 1.0);
    pixel = vec4(colour.rgb, colour.a * inside);
}
