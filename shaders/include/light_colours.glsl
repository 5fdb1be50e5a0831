// Warm from the sun, cool from the sky.
const vec3 SUNLIGHT = vec3(1.0, 0.965, 0.915);
const vec3 SKYLIGHT = vec3(0.94, 0.98, 1.05);
