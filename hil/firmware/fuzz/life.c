/* Fuzzing a device's life: sensors, people, requests, lost frames and power cuts in
 * any order. Each byte chooses what happens, the next one how much.
 * Not: what must hold (host/life.c).
 * Source: LLVM libFuzzer; hil/firmware/README.md. */
#include <string.h>

#include "life.h"
#include "role.h"
#include "stimuli.h"

#define OPS_MAX 200

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const lines[] = {
    "put 1 416 red", "put 2 416 blue", "take 1",  "take 2",       "slip 1 1",     "jam 1",
    "unjam 1",       "residual 2 3",   "warn 17", "unwarn 17",    "door open",    "door close",
    "door open 2",   "door close 2",   "pace 5",  "residual 2 0", "card 01 257",  "card - 0",
    "unread",        "double 2",       "cut",     "load RED",     "retract 0102", "empty",
    "tamper case",   "counters",
};

/* A line of the input's own, up to the next line end. */
static size_t own_line(const uint8_t *data, size_t size)
{
    char line[LINE_MAX] = "";
    size_t length = 0;
    while (length < size && length < sizeof line - 1 && data[length] != '\n') {
        line[length] = (char)data[length];
        length++;
    }
    life_stimulus(line);
    return length;
}

static void op(uint8_t what, uint8_t how)
{
    switch (what % 9) {
    case 0:
        life_tick((uint32_t)how * 4);
        break;
    case 1:
        life_ask((uint8_t)(how % 20), (uint32_t)how / 20 % 4);
        break;
    case 2:
        life_ask_again();
        break;
    case 3:
        life_stimulus(lines[how % (sizeof lines / sizeof lines[0])]);
        break;
    case 4:
        life_power_cycle();
        break;
    case 5:
        life_cut_after((size_t)how * 3 + 1);
        break;
    case 6:
        life_lose(how);
        break;
    case 7:
        life_step((uint8_t)(1 + how % 2));
        break;
    default:
        life_hello();
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    life_begin();
    for (int ops = 0; ops < OPS_MAX && size >= 2; ops++) {
        uint8_t what = data[0], how = data[1];
        data += 2;
        size -= 2;
        if (what == 0xff) {
            size_t used = own_line(data, size);
            data += used;
            size -= used;
        } else {
            op(what, how);
        }
    }
    life_end();
    return 0;
}
