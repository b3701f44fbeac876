#include "Targets.h"

enum { TILE = 64 };

// The weights are symmetric, so two samples share one multiplication.
CLT_BODY convolve_tile(const float *in, const float *weights, size_t half, size_t channels, size_t width, float *out) {
    float sums[TILE];
    const float *middle = in + half * channels;
    for (size_t i = 0; i < width; i++) sums[i] = weights[half] * middle[i];
    for (size_t t = 0; t < half; t++) {
        const float *before = in + t * channels;
        const float *after = in + (2 * half - t) * channels;
        float weight = weights[t];
        for (size_t i = 0; i < width; i++) sums[i] += weight * (before[i] + after[i]);
    }
    memcpy(out, sums, width * sizeof(float));
}

CLT_BODY clt_convolve_body(
    const float *in, const float *weights, size_t taps, size_t channels, size_t count, float *out) {
    size_t i = 0;
    for (; i + TILE <= count; i += TILE) convolve_tile(in + i, weights, taps / 2, channels, TILE, out + i);
    if (i < count) convolve_tile(in + i, weights, taps / 2, channels, count - i, out + i);
}
CLT_KERNEL(
    clt_convolve, (const float *in, const float *weights, size_t taps, size_t channels, size_t count, float *out),
    (in, weights, taps, channels, count, out))

#define ROUND_LINE(name, sample, most) \
    CLT_BODY name##_body(const float *restrict in, size_t count, sample *restrict out) { \
        for (size_t i = 0; i < count; i++) { \
            float level = in[i] < most ? in[i] : most; \
            out[i] = (sample)(int32_t)((level > 0 ? level : 0) + 0.5f); \
        } \
    } \
    CLT_KERNEL(name, (const float *restrict in, size_t count, sample *restrict out), (in, count, out))

ROUND_LINE(clt_round_u8, uint8_t, 255.0f)
ROUND_LINE(clt_round_u16, uint16_t, 65535.0f)
