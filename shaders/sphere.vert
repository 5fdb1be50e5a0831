#include "instance.glsl"
layout(location = 0) in vec3 shape;

void main() {
    int at = 2 * (first + gl_InstanceID);
    vec4 ball = texelFetch(rows, at);
    emit(ball.xyz + ball.w * shape, shape, texelFetch(rows, at + 1));
}
