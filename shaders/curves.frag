// A line with a soft edge, laid on the paper: where lines meet, the canvas keeps the one that differs more from the paper.
uniform vec4 paper;          // the canvas's own colour; alpha 0 for a canvas that is laid over another
uniform vec4 canvas;         // its size in pixels, half the width of a line, the dearest cost
in vec4 colour;
#ifndef BARS
in float across;
#endif
out vec4 pixel;

void main() {
#ifdef BARS
    pixel = colour;
#else
    float cover = clamp((1.0 - abs(across)) * (canvas.z + 0.5), 0.0, 1.0) * min(2.0 * canvas.z, 1.0);
    pixel = vec4(mix(colour.rgb, mix(paper.rgb, colour.rgb, cover), paper.a), cover);
#endif
}
