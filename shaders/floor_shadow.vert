// The part of the floor on which shadows can fall.
#include "frame.glsl"
uniform vec4 part;  // lowest x and z, highest x and z
out vec3 place;

void main() {
    vec2 ground = mix(part.xy, part.zw, vec2(gl_VertexID & 1, gl_VertexID >> 1));
    place = vec3(ground.x, floor_colour.w, ground.y);
    gl_Position = view_projection * vec4(place, 1.0);
}
