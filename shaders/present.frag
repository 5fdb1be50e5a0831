// The finished picture, from linear light to what displays expect.
#include "colour.glsl"
uniform sampler2D picture;
out vec4 pixel;

void main() {
    pixel = vec4(srgb_of(texelFetch(picture, ivec2(gl_FragCoord.xy), 0).rgb), 1.0);
}
