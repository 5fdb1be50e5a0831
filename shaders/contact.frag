// How much of the sky a capsule hides from a point of the floor: that of the sphere at its nearest place (Quilez,
// sphere ambient occlusion). Multiplied into what is there.
#include "frame.glsl"
#include "light_colours.glsl"
#include "floor.glsl"
in vec3 place;
flat in vec4 from;
flat in vec4 to;
flat in float darkness;
flat in float reach;
out vec4 pixel;

void main() {
    vec3 axis = to.xyz - from.xyz, off = place - from.xyz;
    float along = clamp(dot(off, axis) / max(dot(axis, axis), 1e-8), 0.0, 1.0);
    vec3 way = axis * along - off;
    float radius = mix(from.w, to.w, along);
    float away = max(length(way), radius);
    float hidden = clamp(max(way.y, 0.0) / away, 0.0, 1.0) * radius * radius / (away * away);
    hidden *= 1.0 - smoothstep(0.3 * reach, reach, length(way.xz));
    pixel = vec4(vec3(1.0 - clamp(hidden * darkness * floor_fade(place), 0.0, 0.95)), 1.0);
}
