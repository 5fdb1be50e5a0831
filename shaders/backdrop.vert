#include "frame.glsl"
#include "fullscreen.glsl"
out vec3 far_place;

void main() {
    gl_Position = vec4(corner(), 1.0, 1.0);
    vec4 far = to_world * vec4(corner(), 1.0, 1.0);
    far_place = far.xyz / far.w;
}
