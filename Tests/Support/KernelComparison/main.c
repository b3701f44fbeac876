// Runs each kernel with seeded random inputs at each level that the processor supports, and prints a line with the
// level, the kernel and a checksum of all bytes that the kernel wrote. Scripts/compare-kernels compares the lines.
//
//     main SEED ROUNDS

#include "CCalotypeKernels.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    /// The size of each buffer in bytes.
    SPACE = 1 << 16,
    /// The largest number of pixels of a line, which exceeds every tile size of the kernels.
    MOST_PIXELS = 300,
    /// The bytes after the output that are part of the checksum, so that a write past the end is found.
    GUARD = 64,
};

// The buffers come from malloc, because kernels of different sample types share them.
static unsigned char *source, *other, *output;

// Random inputs are made of integers and exact operations alone, so that they are the same on every architecture.

static uint64_t state;

/// SplitMix64 (Steele, Lea and Flood, 2014).
static uint64_t next(void) {
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

static size_t below(size_t count) { return (size_t)(next() % count); }
static float unit(void) { return (float)(next() >> 40) * 0x1p-24f; }
static float between(float low, float high) { return low + unit() * (high - low); }
static size_t some_channels(void) { return below(2) ? 4 : 1; }

/// Returns a number from 0 to `most`, often one beside a multiple of 16.
static size_t some_count(size_t most) {
    size_t near = 16 * below(most / 16 + 1) + below(3);
    size_t count = below(2) ? near - (near > 0) : below(most + 1);
    return count < most ? count : most;
}

/// Returns a floating-point sample: common levels, levels out of range, halves, zeros, and numbers near zero.
static float some_level(float most) {
    switch (below(8)) {
    case 0: return most;
    case 1: return (float)below((size_t)most) + 0.5f;
    case 2: return between(-1e6f, 1e6f);
    case 3: return below(2) ? 0.0f : -0.0f;
    case 4: return below(2) ? 1e-40f : -1e-40f;
    default: return between(-0.1f * most, 1.1f * most);
    }
}

static void fill_levels(float *levels, size_t count, float most) {
    for (size_t i = 0; i < count; i++) levels[i] = some_level(most);
}

static void fill_weights(float *weights, size_t count) {
    for (size_t i = 0; i < count; i++) weights[i] = between(-0.5f, 1.0f);
}

/// Fills a buffer with random bytes, zeros, full bytes, or zeros and full bytes mixed.
static void fill(unsigned char *bytes) {
    size_t kind = below(8);
    for (size_t i = 0; i < SPACE; i += 8) {
        uint64_t word = kind == 0 ? 0 : kind == 1 ? UINT64_MAX : next();
        if (kind == 2) word = (word & 0x0101010101010101) * 255;
        memcpy(bytes + i, &word, sizeof word);
    }
}

/// Returns an address in `bytes` that is aligned for a sample of `size` bytes, and often for nothing more.
static void *place(unsigned char *bytes, size_t size) { return bytes + below(32) * size; }

static uint64_t checksum;

/// Adds `output` up to the guard after `end` to the checksum (FNV-1a).
static void add_output(const void *end) {
    const unsigned char *last = (const unsigned char *)end + GUARD;
    for (const unsigned char *byte = output; byte < last; byte++) checksum = (checksum ^ *byte) * 0x100000001B3;
}

static bool some_depth(void) { return below(2); }
static float most_level(bool is_wide) { return is_wide ? 65535.0f : 255.0f; }
static size_t size_of(bool is_wide) { return is_wide ? 2 : 1; }

static void run_clt_combine_rows(clt_level level) {
    static const size_t sizes[] = {1, 2, 4};
    const void *rows[40];
    float weights[80];
    size_t size = sizes[below(3)], taps = 1 + below(40), count = some_count(4 * MOST_PIXELS);
    if (size == 4) fill_levels((float *)(void *)source, 3000, 255.0f);
    else fill(source);
    fill_weights(weights, 2 * taps);
    for (size_t t = 0; t < taps; t++) rows[t] = source + size * below(1000);
    float *out = place(output, sizeof *out);
    float *second = below(2) ? out + count : NULL;
    clt_combine_rows(level, size, rows, weights, taps, count, out, second);
    add_output(out + (second ? 2 : 1) * count);
}

static void run_clt_combine_columns(clt_level level) {
    enum { WIDTH = 150, STRIDE = 24, PIXELS = 500 };
    int32_t first[WIDTH];
    float weights[WIDTH * STRIDE] = {0};
    bool is_wide = some_depth();
    size_t channels = some_channels(), width = some_count(WIDTH), stride = 4 * (1 + below(STRIDE / 4));
    size_t count = 1 + below(stride);
    for (size_t x = 0; x < width; x++) {
        first[x] = (int32_t)below(PIXELS - stride);
        fill_weights(weights + x * stride, 1 + below(count));
    }
    const clt_taps taps = {first, weights, stride, count};
    float *in = place(source, sizeof *in);
    fill_levels(in, channels * PIXELS, most_level(is_wide));
    unsigned char *out = place(output, size_of(is_wide));
    clt_combine_columns(level, is_wide, channels, in, &taps, width, out);
    add_output(out + channels * width * size_of(is_wide));
}

#define ALPHA(name) \
    static void run_##name(clt_level level) { \
        size_t count = some_count(MOST_PIXELS); \
        fill(output); \
        unsigned char *pixels = place(output, 1); \
        name(level, pixels, count); \
        add_output(pixels + 4 * count); \
    }
ALPHA(clt_premultiply_u8)
ALPHA(clt_unpremultiply_u8)

static void run_clt_color_matrix(clt_level level) {
    bool is_wide = some_depth();
    size_t count = some_count(MOST_PIXELS);
    float matrix[16], scale = below(4) ? 1.0f : 100.0f;
    for (int i = 0; i < 16; i++) matrix[i] = scale * between(-1.0f, 1.5f);
    fill(output);
    unsigned char *pixels = place(output, size_of(is_wide));
    clt_color_matrix(level, is_wide, pixels, count, matrix);
    add_output(pixels + 4 * count * size_of(is_wide));
}

static void run_clt_composite(clt_level level) {
    bool is_wide = some_depth();
    size_t count = some_count(MOST_PIXELS);
    float opacity = below(4) ? unit() : (float)below(2);
    fill(source);
    fill(output);
    const void *over = place(source, size_of(is_wide));
    unsigned char *pixels = place(output, size_of(is_wide));
    clt_composite(level, is_wide, pixels, over, count, opacity);
    add_output(pixels + 4 * count * size_of(is_wide));
}

static void run_clt_round(clt_level level) {
    bool is_wide = some_depth();
    size_t count = some_count(MOST_PIXELS);
    float *in = place(source, sizeof *in);
    fill_levels(in, count, most_level(is_wide));
    if (count > 1) in[below(count)] = below(2) ? 1e30f : -1e30f;
    unsigned char *out = place(output, size_of(is_wide));
    clt_round(level, is_wide, in, count, out);
    add_output(out + count * size_of(is_wide));
}

static void run_clt_sharpen(clt_level level) {
    bool is_wide = some_depth();
    size_t count = some_count(MOST_PIXELS);
    float amount = between(0.0f, below(4) ? 3.0f : 1000.0f);
    float threshold = below(4) ? between(0.0f, 0.2f * most_level(is_wide)) : (float)below(3);
    fill(source);
    fill(output);
    const void *original = place(source, size_of(is_wide));
    unsigned char *pixels = place(output, size_of(is_wide));
    clt_sharpen(level, is_wide, pixels, original, count, amount, threshold);
    add_output(pixels + 4 * count * size_of(is_wide));
}

/// Returns a step from one pixel to the next: common, zero, tiny or huge.
static double some_step(void) {
    static const double extremes[] = {0, 1, -1, 1e-9, -1e-300, 1e12};
    return below(3) ? (double)between(-2.0f, 2.0f) : extremes[below(sizeof extremes / sizeof *extremes)];
}

static void run_clt_sample_line(clt_level level) {
    bool is_wide = some_depth();
    size_t width = 1 + below(60), height = 1 + below(60), count = some_count(MOST_PIXELS);
    fill(source);
    const clt_image image = {
        place(source, size_of(is_wide)), width, height, (4 * width + below(7)) * size_of(is_wide)};
    double x = (double)between(-10.0f, 70.0f), y = (double)between(-10.0f, 70.0f);
    double dx = some_step(), dy = some_step();
    unsigned char *out = place(output, size_of(is_wide));
    clt_sample_line(level, is_wide, &image, x, y, dx, dy, count, out);
    add_output(out + 4 * count * size_of(is_wide));
}

static const struct {
    const char *name;
    void (*run)(clt_level level);
} kernels[] = {
#define KERNEL(name) {#name, run_##name}
    KERNEL(clt_combine_rows),
    KERNEL(clt_combine_columns),
    KERNEL(clt_premultiply_u8),
    KERNEL(clt_unpremultiply_u8),
    KERNEL(clt_color_matrix),
    KERNEL(clt_composite),
    KERNEL(clt_round),
    KERNEL(clt_sharpen),
    KERNEL(clt_sample_line),
};

static const struct {
    const char *name;
    clt_level level;
} levels[] = {{"baseline", CLT_BASELINE}, {"avx2", CLT_AVX2}, {"avx512", CLT_AVX512}};

int main(int count, char **arguments) {
    if (count != 3) {
        fprintf(stderr, "usage: %s SEED ROUNDS\n", arguments[0]);
        return 2;
    }
    uint64_t seed = strtoull(arguments[1], NULL, 10), rounds = strtoull(arguments[2], NULL, 10);
    source = malloc(SPACE), other = malloc(SPACE), output = malloc(SPACE);
    if (!source || !other || !output) return 2;
    for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
        if (!clt_supports(levels[l].level)) continue;
        for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
            checksum = 0xCBF29CE484222325;
            state = seed + k;
            for (uint64_t round = 0; round < rounds; round++) {
                memset(output, 0xA5, SPACE);
                kernels[k].run(levels[l].level);
            }
            printf("%s %s %016llx\n", levels[l].name, kernels[k].name, (unsigned long long)checksum);
        }
    }
    return 0;
}
