/* What differs between a shoe and a shuffler.
 * Not: what is the same in both (device.h).
 * Source: firmware_bridge/tablelink/README.md, "Events", "Requests". */
#ifndef ROLE_H
#define ROLE_H

#include "state.h"

enum order {
    ORDER_LOAD = 1,
    ORDER_COUNT = 2,
    ORDER_SHUFFLE = 3,
    ORDER_STORE = 4,
    ORDER_RELEASE = 5,
    ORDER_STATUS = 6,
    ORDER_SELF_TEST = 7,
    ORDER_ABORT = 8,
    ORDER_MODE = 9,
    ORDER_LOCK = 16,
    ORDER_UNLOCK = 17
};

enum request_status { REQUEST_DONE, REQUEST_REFUSED, REQUEST_UNKNOWN, REQUEST_FAILED };

/* `why` NULL: done. */
struct outcome {
    enum request_status status;
    const char *why;
};

#define ROLE_COMPARTMENTS (ROLE == ROLE_SHUFFLER ? COMPARTMENTS : 0u)

/* Bits of the compartments in which a shuffle was under way when power failed. */
uint32_t role_under_way(const struct device *d);

/* After POWER_UP: what power loss broke off. */
void role_boot(struct device *d, uint32_t under_way);

/* So much time went by in which cards could move. */
void role_poll(struct device *d, uint64_t moved_us);

bool role_busy(const struct device *d);

struct outcome role_request(struct device *d, uint8_t order, uint64_t argument);

/* A lid was opened (compartment 0: the housing), or the device was put out of play. */
void role_opened(struct device *d, uint8_t compartment);
void role_out_of_play(struct device *d);

uint32_t role_outputs(const struct device *d);

#endif
