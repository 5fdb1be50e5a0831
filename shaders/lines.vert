// A strip of quads along points, mitred where they meet, so that translucent lines show no knots.
#include "frame.glsl"
#include "colour.glsl"
uniform samplerBuffer rows;  // place, joined; colour
uniform int count;
uniform float width;         // pixels, or metres where flat
uniform int level;           // 1: lies flat in the world, 0: faces the camera
out vec4 colour;
out float across;            // −1 … 1 over the drawn width, in units of `edge`
flat out float edge;

vec4 row(int i) {
    return texelFetch(rows, 2 * clamp(i, 0, count - 1));
}

vec2 on_screen(vec4 clip) {
    return clip.xy / max(clip.w, 1e-5) * 0.5 * viewport.xy;
}

vec2 direction(vec2 v, vec2 otherwise) {
    float l = length(v);
    return l > 1e-6 ? v / l : otherwise;
}

// Offset to one side of the middle of two directions, as long as the mitre needs but never absurdly long.
vec2 mitre(vec2 before, vec2 after) {
    vec2 middle = direction(before + after, after);
    vec2 side = vec2(-middle.y, middle.x);
    return side / max(dot(side, vec2(-after.y, after.x)), 0.5);
}

void main() {
    int i = gl_InstanceID + (gl_VertexID >> 1);          // the end this vertex belongs to
    float side = float(gl_VertexID & 1) * 2.0 - 1.0;
    vec4 here = row(i), ahead = row(gl_InstanceID + 1);
    bool begins = row(i).w < 0.5 || i == 0;
    bool ends = i == count - 1 || row(i + 1).w < 0.5;
    vec3 last = begins ? 2.0 * here.xyz - row(i + 1).xyz : row(i - 1).xyz;
    vec3 next = ends ? 2.0 * here.xyz - row(i - 1).xyz : row(i + 1).xyz;

    vec4 tint = texelFetch(rows, 2 * i + 1);
    colour = vec4(linear_of(tint.rgb), tint.a);
    vec4 clip = view_projection * vec4(here.xyz, 1.0);
    float pixel_size = clip.w / eye.w;                    // metres a pixel covers here
    if (level == 1) {
        float half_width = max(0.5 * width, 0.75 * pixel_size);
        float drawn = half_width + pixel_size;
        vec2 forward = direction(next.xz - here.xz, vec2(1.0, 0.0));
        vec2 backward = direction(here.xz - last.xz, forward);
        vec2 off = mitre(backward, direction(next.xz - here.xz, backward)) * drawn * side;
        clip = view_projection * vec4(here.x + off.x, here.y, here.z + off.y, 1.0);
        edge = drawn / pixel_size;
    } else {
        float half_width = 0.5 * width * viewport.z;
        vec2 p = on_screen(clip);
        vec2 forward = direction(on_screen(view_projection * vec4(next, 1.0)) - p, vec2(1.0, 0.0));
        vec2 backward = direction(p - on_screen(view_projection * vec4(last, 1.0)), forward);
        edge = half_width + 1.0;
        clip.xy += mitre(backward, forward) * edge * side * 2.0 / viewport.xy * clip.w;
    }
    across = side;
    clip.z -= 2e-4 * clip.w / max(clip.w, 1.0);           // before the surface it lies on
    gl_Position = ahead.w < 0.5 ? vec4(0.0, 0.0, 2.0, 1.0) : clip;
}
