// Costs as colours: light is close, what lies above the threshold is dark.
uniform sampler2D costs;
uniform vec4 piece;
uniform float step;  // cells a texel stands for, along an edge
uniform float threshold;
uniform float highest;
in vec2 cell;
out vec4 pixel;

const vec3 CLOSE = vec3(1.00, 0.985, 0.95), LIMIT = vec3(0.80, 0.60, 0.40);
const vec3 BEYOND = vec3(0.31, 0.335, 0.385), FAR = vec3(0.055, 0.060, 0.072);

void main() {
    ivec2 texel = clamp(ivec2((cell - piece.xy) / step), ivec2(0), textureSize(costs, 0) - 1);
    float cost = texelFetch(costs, texel, 0).r;
    if (cost <= threshold) {
        pixel = vec4(mix(CLOSE, LIMIT, cost / max(threshold, 1e-9)), 1.0);
    } else {
        float beyond = (cost - threshold) / max(highest - threshold, 1e-9);
        pixel = vec4(mix(BEYOND, FAR, clamp(1.0 - exp(-2.6 * beyond), 0.0, 1.0)), 1.0);
    }
}
