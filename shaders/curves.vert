// The graph's lanes and curves on a canvas in pixels, y down: see motiongraph/viewer/draw/graph_canvas.py.
uniform samplerBuffer rows;  // CURVES: seconds, lane, seconds, lane; cost, −, −, −. BARS: x, x, lane, half height; colour
uniform vec4 place;          // pixels a second and a lane, and where 0 s and lane 0 are
uniform vec4 canvas;         // its size in pixels, half the width of a line, the highest cost
out vec4 colour;

vec4 on_canvas(vec2 pixel) {
    return vec4(2.0 * pixel.x / canvas.x - 1.0, 1.0 - 2.0 * pixel.y / canvas.y, 0.0, 1.0);
}

#ifdef BARS
void main() {
    vec4 bar = texelFetch(rows, 2 * gl_InstanceID);
    colour = texelFetch(rows, 2 * gl_InstanceID + 1);
    vec2 at = vec2((gl_VertexID & 1) == 0 ? bar.x : bar.y, bar.z) * place.xy + place.zw;
    gl_Position = on_canvas(vec2(at.x, at.y + ((gl_VertexID & 2) == 0 ? -bar.w : bar.w)));
}
#else
uniform samplerBuffer picks; // four a texel: 4 · curve + state
uniform int first;           // pick of the first instance
uniform vec4 walk;           // colour of a walk's curves; 1 for light paper
out float across;            // −1 … 1 over the drawn width

const int STEPS = 12;        // pieces of a curve
// From cheap to expensive: away from the paper to near it, so that what matters stands out.
const vec3 COSTS[5] = vec3[5](vec3(1.00, 0.90, 0.52), vec3(0.99, 0.66, 0.33), vec3(0.90, 0.40, 0.36),
                              vec3(0.66, 0.27, 0.52), vec3(0.40, 0.26, 0.60));
const vec3 BY_DAY[5] = vec3[5](vec3(0.07, 0.07, 0.43), vec3(0.38, 0.08, 0.62), vec3(0.73, 0.19, 0.47),
                               vec3(0.91, 0.41, 0.24), vec3(0.98, 0.69, 0.26));
const vec3 DIM[2] = vec3[2](vec3(0.215, 0.235, 0.275), vec3(0.85, 0.86, 0.88));
const vec3 DEAD[2] = vec3[2](vec3(0.46, 0.17, 0.15), vec3(0.90, 0.66, 0.63));

vec3 cost_colour(float cost) {
    float at = clamp(cost / canvas.w, 0.0, 1.0) * 4.0;
    int below = min(int(at), 3);
    return walk.a > 0.5 ? mix(BY_DAY[below], BY_DAY[below + 1], at - float(below))
                        : mix(COSTS[below], COSTS[below + 1], at - float(below));
}

void main() {
    int i = first + gl_InstanceID;
    int pick = int(texelFetch(picks, i >> 2)[i & 3]);
    vec4 ends = texelFetch(rows, 2 * (pick >> 2));
    int state = pick & 3;
    vec3 tint = state == 1 ? cost_colour(texelFetch(rows, 2 * (pick >> 2) + 1).x)
              : state == 2 ? DEAD[int(walk.a)] : state == 3 ? walk.rgb : DIM[int(walk.a)];
    colour = vec4(tint, 1.0);

    // An S with upright ends: x eases while y runs evenly; within a clip an arc above its lane (graph.lane_curve).
    float t = 0.5 - 0.5 * cos(3.14159265 * float(gl_VertexID >> 1) / float(STEPS));
    vec2 d = ends.zw - ends.xy;
    float rise = d.y == 0.0 ? 4.0 * (0.25 + 0.6 * min(abs(d.x) / 3.0, 1.0)) : 0.0;
    vec2 at = vec2(ends.x + d.x * t * t * (3.0 - 2.0 * t), ends.y + d.y * t - rise * t * (1.0 - t));
    vec2 along = vec2(d.x * 6.0 * t * (1.0 - t), d.y - rise * (1.0 - 2.0 * t)) * place.xy;
    along = length(along) > 1e-6 ? normalize(along) : vec2(d.x < 0.0 ? -1.0 : 1.0, 0.0);
    across = float(gl_VertexID & 1) * 2.0 - 1.0;
    gl_Position = on_canvas(at * place.xy + place.zw + vec2(-along.y, along.x) * across * (canvas.z + 0.5));
}
#endif
