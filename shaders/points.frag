// A small ball: lit from above, its edge one pixel soft.
#include "frame.glsl"
in vec4 colour;
flat in float across;
out vec4 pixel;

void main() {
    vec2 p = gl_PointCoord * 2.0 - 1.0;
    float r = length(p);
    float inside = clamp((1.0 - r) * 0.5 * across, 0.0, 1.0);
    if (inside <= 0.0) discard;
    float up = -p.y * 0.6 + sqrt(max(1.0 - r * r, 0.0)) * 0.5;
    pixel = vec4(colour.rgb * (0.72 + 0.38 * up), colour.a * inside);
}
