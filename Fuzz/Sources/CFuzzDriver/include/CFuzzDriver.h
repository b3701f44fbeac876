/// libFuzzer's main loop, which the compiler links but no header declares.
#ifndef CFUZZ_DRIVER_H
#define CFUZZ_DRIVER_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run)(const uint8_t *bytes, size_t count));

#endif
