// How far the floor has faded out at a place, 1 … 0.
float floor_fade(vec3 place) {
    float fade = 1.0 - smoothstep(0.12, 1.0, distance(place.xz, floor_shape.xy) / floor_shape.z);
    return fade * fade;
}

// Light on the level floor where this share of the sun reaches it; in full light the floor has just its colour.
vec3 daylight(float lit) {
    return (SUNLIGHT * sun.w * max(sun.y, 0.0) * lit + SKYLIGHT * zenith.w) / 1.2;
}
