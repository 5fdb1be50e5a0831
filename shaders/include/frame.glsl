// What all programs know of the frame; filled by motiongraph/viewer/draw/uniforms.py in the same order.
layout(std140) uniform Frame {
    mat4 view_projection;  // world to clip space
    mat4 to_world;         // clip space to world
    mat4 to_shadow;        // world to shadow map: place 0 … 1, depth 0 … 1
    vec4 eye;              // place; pixels that a metre is high at a distance of one
    vec4 viewport;         // width and height in pixels, pixels a point, 1 where the eye is under the floor
    vec4 sun;              // direction towards it, strength
    vec4 zenith;           // colour overhead (all colours here are linear), strength of the sky
    vec4 horizon;          // colour, 1 where the floor is drawn
    vec4 floor_colour;     // colour, height
    vec4 floor_other;      // colour of the other squares, 0 for a checker and 1 for a grid
    vec4 floor_shape;      // centre x and z, where it has faded out, edge of a square; metres
    vec4 shadow;           // metres a texel, metres from depth 0 to 1, softness, 1 where there are shadows
    vec4 taps;             // of the shadow map: to look for what casts, and to compare; unused twice
};
