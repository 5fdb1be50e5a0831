// What a body's vertex shader starts from and hands on.
#include "frame.glsl"
#include "colour.glsl"
uniform samplerBuffer rows;  // rows of a batch, see motiongraph/viewer/draw/frame.py
uniform int first;           // row of the first instance
#ifndef DEPTH_ONLY
out vec3 place;
out vec3 normal;
out vec4 colour;
flat out int row;
#endif

void emit(vec3 where, vec3 facing, vec4 tint) {
    gl_Position = view_projection * vec4(where, 1.0);
#ifndef DEPTH_ONLY
    row = first + gl_InstanceID;
    place = where;
    normal = facing;
    colour = vec4(linear_of(tint.rgb), tint.a);
#endif
}
