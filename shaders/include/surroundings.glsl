// The sky seen in a direction; below the horizon it stays as it is there, and the floor fades into that.
vec3 sky(vec3 way) {
    return mix(horizon.rgb, zenith.rgb, smoothstep(-0.02, 0.75, way.y));
}
