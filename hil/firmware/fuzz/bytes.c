/* Fuzzing what comes over the line: any bytes, to a device that has a session.
 * Not: what must hold (host/life.c).
 * Source: LLVM libFuzzer; hil/firmware/README.md. */
#include "life.h"
#include "role.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    life_begin();
    life_bytes(data, size);
    life_tick(100);
    life_power_cycle();
    return 0;
}
