// The sun with its shadow, and the light of sky and ground.
#include "light_colours.glsl"
uniform sampler2D shadow_depth;          // depth as it was drawn
uniform sampler2DShadow shadow_compare;  // the same texture, compared and smoothed

const float TURN = 2.39996323;  // golden angle: points of a spiral that cover a disc evenly

vec2 spiral(int i, int count, float turn) {
    float r = sqrt((float(i) + 0.5) / float(count));
    float angle = float(i) * TURN + turn;
    return r * vec2(cos(angle), sin(angle));
}

// How much of the sun reaches a point, 0 … 1. The edge widens with the distance to what casts the shadow: first
// look for what stands in the way nearby, then compare in a disc as wide as its penumbra (Fernando 2005).
float sunlight(vec3 place, vec3 normal) {
    if (shadow.w == 0.0) return 1.0;
    float texel = shadow.x;
    float slope = 1.0 - max(dot(normal, sun.xyz), 0.0);
    vec3 at = (to_shadow * vec4(place + normal * texel * (1.0 + 2.5 * slope), 1.0)).xyz;
    if (any(lessThan(at, vec3(0.0))) || any(greaterThan(at, vec3(1.0)))) return 1.0;

    float size = float(textureSize(shadow_depth, 0).x) * texel;  // metres across the map
    float turn = grain(gl_FragCoord.xy) * 6.2831853;
    float widest = max(0.9 * shadow.z, 3.0 * texel);
    float steepness = min(slope, 0.9);
    float bias = 0.5 * texel / shadow.y;
    float blockers = 0.0, depth = 0.0;
    int searches = int(taps.x), samples = int(taps.y);
    for (int i = 0; i < searches; i++) {
        vec2 tap = spiral(i, searches, turn) * widest;
        float found = texture(shadow_depth, at.xy + tap / size).r;
        float gap = (at.z - found) * shadow.y;
        // What rises only as much as the surface itself does over this distance is the surface itself.
        if (gap > length(tap) * (0.3 + steepness) + texel) {
            blockers += 1.0;
            depth += gap;
        }
    }
    // Nothing stands in the way: most of the floor. The middle is looked at too, thin limbs slip between the taps.
    if (blockers == 0.0 && texture(shadow_compare, vec3(at.xy, at.z - bias)) == 1.0) return 1.0;
    float gap = blockers > 0.0 ? depth / blockers : 0.0;
    float radius = clamp(0.5 * shadow.z * gap, 1.5 * texel, widest);
    bias += radius * (0.25 + steepness) * 0.6 / shadow.y;
    float lit = 0.0;
    for (int i = 0; i < samples; i++) {
        vec2 tap = spiral(i, samples, turn) * radius / size;
        lit += texture(shadow_compare, vec3(at.xy + tap, at.z - bias));
    }
    // The map ends somewhere: let shadows end before it does.
    vec2 edge = smoothstep(vec2(0.5), vec2(0.46), abs(at.xy - 0.5));
    return mix(1.0, lit / taps.y, edge.x * edge.y);
}
