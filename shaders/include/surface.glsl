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
out vec4 pixel;

#ifdef OCCLUDED
uniform samplerBuffer rows;
uniform int body;  // capsules of one character, one after another

// How much of the light from all around the character's other limbs leave to a point, 0 … 1; each hides as much as
// the sphere at its nearest place (Quilez, capsule ambient occlusion).
float open_to_sky(vec3 p, vec3 n) {
    int begin = row / body * body;
    float open = 1.0;
    for (int i = begin; i < begin + body; i++) {
        if (i == row) continue;
        vec4 a = texelFetch(rows, 3 * i), b = texelFetch(rows, 3 * i + 1);
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
