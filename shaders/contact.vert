// A level rectangle under every capsule (or upright box) that is close to the floor, wide enough for the darkness it
// leaves there.
#include "frame.glsl"
uniform samplerBuffer rows;
uniform int first;
uniform float strength;
out vec3 place;
flat out vec4 from;
flat out vec4 to;
flat out float darkness;
flat out float reach;

vec3 turned(vec4 q, vec3 v) {
    vec3 t = 2.0 * cross(q.yzw, v);
    return v + q.x * t + cross(q.yzw, t);
}

void main() {
#if defined(SPHERES)
    int at = 2 * (first + gl_InstanceID);
    from = texelFetch(rows, at);
    to = from + vec4(0.0, 1e-4, 0.0, 0.0);
    float alpha = texelFetch(rows, at + 1).a;
#elif defined(SOLIDS)
    int at = 4 * (first + gl_InstanceID);
    vec3 size = abs(texelFetch(rows, at + 2).xyz);
    float thick = 0.25 * (size.x + size.z);
    vec3 half_axis = turned(texelFetch(rows, at + 1), vec3(0.0, max(0.5 * size.y - thick, 1e-4), 0.0));
    from = vec4(texelFetch(rows, at).xyz - half_axis, thick);
    to = vec4(texelFetch(rows, at).xyz + half_axis, thick);
    float alpha = texelFetch(rows, at + 3).a;
#else
    int at = 3 * (first + gl_InstanceID);
    from = texelFetch(rows, at);
    to = texelFetch(rows, at + 1);
    float alpha = texelFetch(rows, at + 2).a;
#endif
    float level = floor_colour.w;
    float lowest = min(from.y - from.w, to.y - to.w) - level;
    float thickest = max(from.w, to.w);
    reach = 0.05 + 4.0 * thickest;
    darkness = strength * alpha * (1.0 - smoothstep(0.3, 1.0, lowest / reach));
    vec2 along = to.xz - from.xz;
    float span = length(along);
    along = span > 1e-5 ? along / span : vec2(1.0, 0.0);
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    vec2 ground = 0.5 * (from.xz + to.xz) + along * corner.x * (0.5 * span + reach) +
                  vec2(-along.y, along.x) * corner.y * reach;
    place = vec3(ground.x, level, ground.y);
    // What is too high to darken anything becomes an empty rectangle.
    gl_Position = darkness > 0.0 ? view_projection * vec4(place, 1.0) : vec4(0.0, 0.0, 2.0, 1.0);
}
