/* The whole state of the device as one value, on which everything else works. `struct store` is what
 * survives power loss; all that belongs together is in one head, of which two copies are written in
 * turn.
 * Not: which memory survives (the board's `hal_store` and linker script).
 * Source: firmware_bridge/README.md, "TableLink/1", "Events", "Requests". */
#ifndef STATE_H
#define STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frame.h"
#include "settings.h"

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

/* `id` 0: no host is there; `greeted`: one said HELLO since this boot. Events go from `to_send` on; `top` was not sent yet. */
struct session {
    uint32_t id;
    bool open;
    bool heard;
    bool greeted;
    uint64_t to_send, top;
    uint64_t resend_at_us;
    uint32_t resend_us;
    uint64_t heard_us, said_us, hello_us;
    uint32_t ctr;
};

enum mode { MODE_PLAY, MODE_SERVICE, MODE_SORT, MODE_TEST, MODES };

/* Since this boot, for people; nothing is decided by them. */
struct counters {
    uint32_t frames, refused, resent, lost, damaged;
    uint32_t bad[FRAME_FAULTS];
};

/* `head` is the working copy: what counts is what was committed. */
struct device {
    struct store *store;
    struct head head;
    bool changed;
    bool restart;
    uint32_t boot_id;
    uint64_t polled_us;
    uint64_t progress_us[COMPARTMENTS];
    struct session session;
    struct assembler assembler;
    struct counters counters;
    struct record draft;
    struct answer answer;
    uint8_t wire[FRAME_WIRE_MAX];
};

#endif
