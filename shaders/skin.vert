// The skin of a character, bent by the joints it follows (Kavan 2007, dual quaternion skinning).
#include "instance.glsl"
layout(location = 0) in vec3 shape;
layout(location = 1) in vec3 shape_normal;
layout(location = 2) in vec4 joints;
layout(location = 3) in vec4 weights;
layout(location = 4) in vec3 shape_marks;
uniform int each;  // rows of a character: its joints, and its colour
#ifdef DEPTH_ONLY
uniform float shrunk;  // metres, so that a coarse skin leaves no specks of its shadow on a finer one
#else
const float shrunk = 0.0;
#endif
#ifndef DEPTH_ONLY
out vec3 marks;
flat out float apart;
#endif

vec3 turned(vec4 q, vec3 v) {  // q: w x y z
    vec3 t = 2.0 * cross(q.yzw, v);
    return v + q.x * t + cross(q.yzw, t);
}

void main() {
    int begin = 2 * (first + gl_InstanceID * each);
    vec4 q = vec4(0.0), d = vec4(0.0);
    for (int k = 0; k < 4; k++) {
        if (weights[k] == 0.0) break;  // they fall
        int at = begin + 2 * int(joints[k]);
        q += weights[k] * texelFetch(rows, at);
        d += weights[k] * texelFetch(rows, at + 1);
    }
    float size = 1.0 / length(q);
    q *= size;
    d *= size;
    vec3 moved = 2.0 * (q.x * d.yzw - d.x * q.yzw + cross(q.yzw, d.yzw));
    int last = begin + 2 * (each - 1);
    emit(turned(q, shape - shrunk * shape_normal) + moved, turned(q, shape_normal), texelFetch(rows, last));
#ifndef DEPTH_ONLY
    marks = shape_marks;
    apart = texelFetch(rows, last + 1).x;
    row = first / each + gl_InstanceID;  // which character
#endif
}
