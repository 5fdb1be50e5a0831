// The hull of two spheres: a capsule that may taper. The mesh holds azimuth and height, see meshes.capsule.
#include "instance.glsl"
layout(location = 0) in vec3 shape;

void main() {
    int at = 3 * (first + gl_InstanceID);
    vec4 a = texelFetch(rows, at), b = texelFetch(rows, at + 1);
    vec3 axis = b.xyz - a.xyz;
    float span = length(axis);
    axis = span > 1e-6 ? axis / span : vec3(0.0, 1.0, 0.0);
    vec3 side = normalize(cross(axis, abs(axis.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0)));

    // The tube touches both spheres where their normals lean along the axis by this sine; beyond ±1 the larger
    // sphere holds the smaller.
    float tilt = asin(clamp((a.w - b.w) / max(span, 1e-6), -1.0, 1.0));
    bool end = shape.z >= 1.0;
    float latitude = end ? mix(tilt, 1.57079633, shape.z - 1.0) : mix(-1.57079633, tilt, shape.z);
    vec3 facing = cos(latitude) * (shape.x * side + shape.y * cross(axis, side)) + sin(latitude) * axis;
    vec4 centre = end ? b : a;
    emit(centre.xyz + centre.w * facing, facing, texelFetch(rows, at + 2));
}
