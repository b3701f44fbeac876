#pragma once
#include "InstructionSets.h"

// Four pixels of four channels, alpha last, as one vector of sixteen numbers.

#define RED(v) __builtin_shufflevector(v, v, 0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12)
#define GREEN(v) __builtin_shufflevector(v, v, 1, 1, 1, 1, 5, 5, 5, 5, 9, 9, 9, 9, 13, 13, 13, 13)
#define BLUE(v) __builtin_shufflevector(v, v, 2, 2, 2, 2, 6, 6, 6, 6, 10, 10, 10, 10, 14, 14, 14, 14)
#define ALPHA(v) __builtin_shufflevector(v, v, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15)

// Rounds numbers to the nearest levels from 0 to `most`, and to at most `limit`. A comparison gives integers as wide as
// the numbers.
#define ROUND(v, limit, most, samples) \
    __builtin_convertvector( \
        __builtin_convertvector( \
            __builtin_elementwise_max(__builtin_elementwise_min(v, __builtin_elementwise_min(limit, (__typeof__(v)){0} + (most))), \
                (__typeof__(v)){0}) + 0.5f, \
            __typeof__((v) > (v))), \
        samples)

// Runs `four` on four pixels at a time. The remaining pixels are copied to a buffer of four.
#define BY_FOURS(four, sample, samples, most) \
    size_t i = 0; \
    for (; i + 4 <= count; i += 4) { four(pixels + 4 * i, 4 * i, 16, samples, most); } \
    if (i < count) { \
        sample rest[16] = {0}; \
        size_t left = 4 * (count - i); \
        memcpy(rest, pixels + 4 * i, left * sizeof(sample)); \
        four(rest, 4 * i, left, samples, most); \
        memcpy(pixels + 4 * i, rest, left * sizeof(sample)); \
    }
