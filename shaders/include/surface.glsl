// A matte body in the light of sun and sky; the fragment shader of everything solid.
#include "frame.glsl"
#include "colour.glsl"
#ifdef DEPTH_ONLY
void main() {}
#else
#include "surroundings.glsl"
#include "light.glsl"
in vec3 place;
in vec3 normal;
in vec4 colour;
flat in int row;
#ifdef SKIN
in vec3 marks;         // changes sign across joint lines; side, 1 left to −1 right; open to the light
flat in float apart;   // how strongly left and right are told apart
const vec3 LEFT = vec3(0.62, 0.92, 1.45), RIGHT = vec3(1.45, 0.80, 0.62);
const float LINE = 0.0026;  // half the width of a joint line, metres
#endif
out vec4 pixel;

#ifdef OCCLUDED
uniform samplerBuffer limbs;
uniform int body;  // capsules of one character, one after another

// How much of the light from all around the character's other limbs leave to a point, 0 … 1; each hides as much as
// the sphere at its nearest place (Quilez, capsule ambient occlusion).
float open_to_sky(vec3 p, vec3 n) {
#ifdef SKIN
    int begin = row * body;
#else
    int begin = row / body * body;
#endif
    float open = 1.0;
    for (int i = begin; i < begin + body; i++) {
#ifndef SKIN
        if (i == row) continue;
#endif
        vec4 a = texelFetch(limbs, 3 * i), b = texelFetch(limbs, 3 * i + 1);
        vec3 axis = b.xyz - a.xyz, off = p - a.xyz;
        float along = clamp(dot(off, axis) / max(dot(axis, axis), 1e-8), 0.0, 1.0);
        vec3 way = axis * along - off;
        float radius = mix(a.w, b.w, along), away = max(length(way), 0.9 * radius);
        float facing = max(dot(n, way) / max(length(way), 1e-5), 0.0), share = radius / away;
        open *= 1.0 - facing * share * share;
    }
    return 0.25 + 0.75 * open;  // light also comes back from the limbs themselves
}
#else
float open_to_sky(vec3 p, vec3 n) {
    return 1.0;
}
#endif

void main() {
    vec3 n = normalize(normal), v = normalize(eye.xyz - place), l = sun.xyz;
    vec3 albedo = colour.rgb;
#ifdef SKIN
    albedo *= mix(vec3(1.0), marks.y > 0.0 ? LEFT : RIGHT, abs(marks.y) * apart);
    // How many pixels away the joint line is, and how many it is wide.
    float metre = eye.w / distance(eye.xyz, place), half_width = LINE * metre, steep = fwidth(marks.x);
    float line = clamp(max(half_width, 0.5) + 0.5 - abs(marks.x) / max(steep, 1e-5), 0.0, 1.0);
    line *= min(2.0 * half_width, 1.0) * smoothstep(3.0, 9.0, steep * metre);  // no blots where it hardly changes
    albedo *= 1.0 - 0.42 * line;
#endif

    float facing = dot(n, l);
    float lit = facing > -0.1 ? sunlight(place, n) : 0.0;
    float diffuse = max((facing + 0.12) / 1.12, 0.0);
    vec3 light = SUNLIGHT * sun.w * diffuse * lit * 1.06;

    // Sky from above, the floor's own colour from below, less of it where the body stands in the way.
    float height = place.y - floor_colour.w;
    float open = horizon.w > 0.0 ? smoothstep(-0.05, 0.55, height) : 1.0;
    vec3 bounce = mix(floor_colour.rgb, vec3(0.5), 0.3) * mix(0.35, 0.95, open);
    float upward = 0.5 + 0.5 * n.y;
    float hidden = open_to_sky(place, n);
#ifdef SKIN
    hidden *= mix(0.45, 1.0, marks.z);
#endif
    light += hidden * zenith.w * mix(bounce, SKYLIGHT, upward * upward * (3.0 - 2.0 * upward)) * mix(0.82, 1.0, open);

    // A broad, faint highlight and a rim show the form where the light is even.
    vec3 h = normalize(l + v);
    float grazing = 1.0 - max(dot(n, v), 0.0);
    float gloss = pow(max(dot(n, h), 0.0), 24.0) * 0.10 * sun.w * lit * step(0.0, facing);
    float rim = pow(grazing, 4.0) * 0.16 * zenith.w * (0.4 + 0.6 * upward);
    vec3 shown = albedo * light + (gloss * SUNLIGHT + rim * sky(reflect(-v, n)));
    shown = shown / (1.0 + max(shown - 0.8, 0.0) * 0.6);  // whites bend instead of clipping
    pixel = vec4(dithered(shown, gl_FragCoord.xy), colour.a);
}
#endif
