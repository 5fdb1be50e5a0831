// One triangle that covers the viewport, made from the numbers of its vertices.
vec2 corner() {
    return vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
}
