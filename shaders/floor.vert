// A level square, large enough for the floor to fade out within.
#include "frame.glsl"
out vec3 place;

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    vec2 ground = floor_shape.xy + corner * floor_shape.z;
    place = vec3(ground.x, floor_colour.w, ground.y);
    gl_Position = view_projection * vec4(place, 1.0);
}
