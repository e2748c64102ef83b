/* What is the same in every role: storing, sending, what keeps cards from moving, lids, warnings.
 * Not: what a role does (role.h) and the board (hal.h).
 * Source: firmware_bridge/tablelink/README.md. */
#ifndef DEVICE_H
#define DEVICE_H

#include "state.h"

/* After anything a sensor or a person did: stores it, then lets the outputs follow. */
void device_settle(struct device *d);

/* Fills in what every frame carries, and sends it. */
void device_send(struct device *d, struct frame frame);

/* Nothing was received from the host for 4 s, or ever. */
bool device_host_silent(const struct device *d);

/* May a card move? The host is in contact, the ring has room, all is shut and nothing is wrong. */
bool device_feeds(const struct device *d);

/* What stands in the way of moving cards; NULL: nothing. */
const char *device_bars(const struct device *d);

void device_lid(struct device *d, uint8_t compartment, bool open);
void device_warn(struct device *d, uint16_t code, const char *text, bool active);
void device_self_test(struct device *d);
void device_mode(struct device *d, uint8_t mode);

#endif
