// The finished picture, from linear light to what displays expect; enlarged smoothly where it has fewer pixels.
#include "colour.glsl"
uniform sampler2D picture;
uniform vec4 part;   // where it goes: x, y, width and height in pixels
uniform float used;  // share of the texture's edges that was drawn
out vec4 pixel;

void main() {
    vec2 at = (gl_FragCoord.xy - part.xy) / part.zw * used;
    pixel = vec4(srgb_of(texture(picture, at).rgb), 1.0);
}
