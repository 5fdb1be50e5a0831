// Colours come as people pick them (sRGB); light is added up in linear numbers.
vec3 linear_of(vec3 colour) {
    return mix(colour / 12.92, pow((colour + 0.055) / 1.055, vec3(2.4)), step(0.04045, colour));
}

vec3 srgb_of(vec3 colour) {
    colour = clamp(colour, 0.0, 1.0);
    return mix(colour * 12.92, 1.055 * pow(colour, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, colour));
}

// Noise that is even in every small neighbourhood (interleaved gradient noise, Jimenez 2014), 0 … 1.
float grain(vec2 pixel) {
    return fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715))));
}

// Half a step of 8 bits up or down, so that wide gradients do not band. A step of sRGB in linear numbers is about
// as wide as the square root of the colour.
vec3 dithered(vec3 colour, vec2 pixel) {
    return colour + (grain(pixel) - 0.5) / 255.0 * 1.8 * sqrt(max(colour, 0.001));
}
