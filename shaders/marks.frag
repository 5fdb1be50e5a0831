// A disc or ring that lies level, its edges one pixel soft.
#include "frame.glsl"
uniform float hollow;
in vec4 colour;
in vec2 across;
out vec4 pixel;

void main() {
    float r = length(across), w = max(fwidth(r), 1e-4);
    float inside = clamp((1.0 - r) / w + 0.5, 0.0, 1.0) * clamp((r - hollow) / w + 0.5, 0.0, 1.0);
    if (hollow <= 0.0) inside = clamp((1.0 - r) / w + 0.5, 0.0, 1.0);
    if (inside <= 0.0) discard;
    pixel = vec4(colour.rgb, colour.a * inside);
}
