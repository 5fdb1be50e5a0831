#include "frame.glsl"
#include "colour.glsl"
uniform samplerBuffer rows;  // centre, radius; colour
out vec4 colour;
out vec2 across;

void main() {
    vec4 disc = texelFetch(rows, 2 * gl_InstanceID), tint = texelFetch(rows, 2 * gl_InstanceID + 1);
    across = (vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0) * 1.15;
    gl_Position = view_projection * vec4(disc.xyz + vec3(across.x, 0.0, across.y) * disc.w, 1.0);
    gl_Position.z -= 2e-4 * gl_Position.w / max(gl_Position.w, 1.0);
    colour = vec4(linear_of(tint.rgb), tint.a);
}
