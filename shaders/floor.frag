// Squares in metres, averaged over what a pixel covers so that they never shimmer, fading into the horizon.
#include "frame.glsl"
#include "colour.glsl"
#include "light_colours.glsl"
#include "floor.glsl"
#include "surroundings.glsl"
in vec3 place;
out vec4 pixel;

// Share of the one colour in a box of width w around p, for squares of edge 1 (Quilez, filtering a checkerboard).
float checker(vec2 p, vec2 w) {
    vec2 i = 2.0 * (abs(fract((p - 0.5 * w) * 0.5) - 0.5) - abs(fract((p + 0.5 * w) * 0.5) - 0.5)) / w;
    return 0.5 - 0.5 * i.x * i.y;
}

// Share of lines of this width at whole numbers in a box of width w around p.
float lines(vec2 p, vec2 w, float width) {
    vec2 a = p + 0.5 * w, b = p - 0.5 * w;
    p += 0.5 * width;
    a += 0.5 * width;
    b += 0.5 * width;
    vec2 share = (floor(a) + min(fract(a), width) - floor(b) - min(fract(b), width)) / w;
    vec2 free = 1.0 - clamp(share, 0.0, 1.0);
    return 1.0 - free.x * free.y;
}

void main() {
    vec2 p = place.xz / floor_shape.w;
    vec2 w = max(fwidth(p), vec2(1e-5)) * 1.2;
    vec3 albedo;
    if (floor_other.w < 0.5) {
        albedo = mix(floor_other.rgb, floor_colour.rgb, checker(p, w));
        albedo *= 1.0 - 0.05 * lines(p, w, 0.012);
    } else {
        albedo = floor_colour.rgb * (1.0 - 0.10 * lines(p * 4.0, w * 4.0, 0.03));
        albedo = mix(albedo, floor_other.rgb * 0.72, lines(p, w, 0.018));
    }
    // Mixed with the sky here and not by blending, so that nothing need be drawn behind it.
    vec3 shown = mix(sky(normalize(place - eye.xyz)), albedo * daylight(1.0), floor_fade(place));
    pixel = vec4(dithered(shown, gl_FragCoord.xy), viewport.w > 0.5 ? 0.25 : 1.0);
}
