// One piece of a matrix on a canvas. Cells are counted x along columns, y along rows, the first row at the top.
uniform vec4 piece;  // its first column and row, and those after its last
uniform vec4 seen;   // the same of what the canvas shows
out vec2 cell;

void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    cell = mix(piece.xy, piece.zw, corner);
    vec2 place = (cell - seen.xy) / (seen.zw - seen.xy);
    gl_Position = vec4(2.0 * place - 1.0, 0.0, 1.0);
}
