#include "frame.glsl"
#include "colour.glsl"
uniform samplerBuffer rows;  // place, radius; colour
uniform float least;         // pixels across
out vec4 colour;
flat out float across;

void main() {
    vec4 ball = texelFetch(rows, 2 * gl_VertexID), tint = texelFetch(rows, 2 * gl_VertexID + 1);
    gl_Position = view_projection * vec4(ball.xyz, 1.0);
    across = max(2.0 * ball.w * eye.w / max(gl_Position.w, 1e-4), least * viewport.z) + 1.0;
    gl_PointSize = across;
    colour = vec4(linear_of(tint.rgb), tint.a);
}
