/* What survives power loss, laid out, and its one way of changing: all that
 * belongs together in one head, of which two copies are written in turn.
 * Not: which memory that is (the board's `hal_store` and linker script).
 * Source: firmware_bridge/tablelink/README.md, "Events", "Requests". */
#ifndef STORE_H
#define STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "settings.h"

struct device;

#define ANSWERS_KEPT 16u
/* One place more than is promised: power may fail while the oldest is written over. */
#define ANSWER_PLACES (ANSWERS_KEPT + 1u)
#define ANSWER_BYTES 144u
#define COMPARTMENTS 2u
#define BACK_BYTES 12u
#define WARNINGS_MAX 8u

/* One event as it is sent. Written whole before the head makes it count. */
struct record {
    uint64_t number;
    uint16_t length;
    uint8_t kind;
    uint8_t unused[5];
    uint8_t payload[RECORD_BYTES];
    uint32_t crc;
};

/* One request and what was answered. */
struct answer {
    uint32_t id;
    uint8_t type;
    uint8_t length;
    uint8_t unused[2];
    uint8_t payload[ANSWER_BYTES];
    uint32_t crc;
};

/* `inside` and `inside_back` are what the sensors see; `cards` and `back` what was counted. */
struct compartment {
    uint64_t began_us;
    uint32_t cycle;
    uint16_t inside, cards, residual;
    uint8_t state;
    uint8_t counted, lid_open, jammed;
    char inside_back[BACK_BYTES], back[BACK_BYTES];
};

/* The one whose CRC fits and whose `turn` is the later counts. `first` to `next - 1` are kept. */
struct head {
    uint64_t first, next;
    uint32_t layout;
    uint32_t turn;
    uint32_t boot_count;
    uint32_t request_top;
    uint32_t answered;
    uint32_t cycle;
    uint16_t warnings[WARNINGS_MAX];
    uint8_t warning_count;
    uint8_t mode;
    uint8_t locked;
    uint8_t lid_open;
    struct compartment compartments[COMPARTMENTS];
    uint32_t crc;
};

struct store {
    struct head heads[2];
    struct answer answers[ANSWER_PLACES];
    struct record ring[RING_PLACES];
};

/* Takes the head that counts; a memory that holds none begins as a new device. */
void store_load(struct device *d);

/* Makes the working head count, at once or, if power fails, not at all. */
void store_commit(struct device *d);

#endif
