/* The events that wait for the host's acknowledgement: numbered once, never
 * written over, freed only up to what the host stored.
 * Not: what an event says (events.h) and when it is sent (session.h).
 * Source: firmware_bridge/tablelink/README.md, "Events". */
#ifndef RING_H
#define RING_H

#include "state.h"

enum event_kind {
    EVENT_CARD_OUT = 1,
    EVENT_CARD_RETRACTED = 2,
    EVENT_READ_FAIL = 3,
    EVENT_DOUBLE_FEED = 4,
    EVENT_CUT_CARD = 5,
    EVENT_SHOE_LOADED = 6,
    EVENT_SHOE_EMPTY = 7,
    EVENT_LID = 8,
    EVENT_JAM = 9,
    EVENT_BATCH_STARTED = 10,
    EVENT_BATCH_DONE = 11,
    EVENT_BATCH_ABORTED = 12,
    EVENT_SELFTEST = 13,
    EVENT_POWER_UP = 14,
    EVENT_TAMPER = 15,
    EVENT_OVERFLOW = 16,
    EVENT_COMPARTMENT = 20,
    EVENT_MODE = 21,
    EVENT_WARNING = 22,
    EVENT_RESIDUAL = 23
};

/* Not before the next commit does it count. False: there was no place; it is lost, and the
 * OVERFLOW in the last place says so. */
bool ring_put(struct device *d, uint8_t kind, const uint8_t *body, size_t length);

/* NULL: not kept, or the memory was damaged. */
const struct record *ring_at(const struct device *d, uint64_t number);

/* All events up to this number are stored by the host. */
void ring_free(struct device *d, uint64_t number);

uint32_t ring_kept(const struct device *d);

/* At 90 %. */
bool ring_gate_closed(const struct device *d);

/* Drops what cannot be reported because of a damaged record; the HELLO then shows the gap. */
void ring_mend(struct device *d);

#endif
