// A mesh, scaled along its own axes, turned and put in its place.
#include "instance.glsl"
layout(location = 0) in vec3 shape;
layout(location = 1) in vec3 shape_normal;

vec3 turned(vec4 q, vec3 v) {  // q: w x y z
    vec3 t = 2.0 * cross(q.yzw, v);
    return v + q.x * t + cross(q.yzw, t);
}

void main() {
    int at = 4 * (first + gl_InstanceID);
    vec4 q = texelFetch(rows, at + 1);
    vec3 size = texelFetch(rows, at + 2).xyz;
    vec3 facing = normalize(shape_normal / max(abs(size), vec3(1e-6)) * sign(size + 1e-12));
    emit(texelFetch(rows, at).xyz + turned(q, size * shape), turned(q, facing), texelFetch(rows, at + 3));
}
