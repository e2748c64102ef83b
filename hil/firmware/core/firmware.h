/* The firmware's three ways in: power, bytes of the host, time.
 * Not: sensors and people (shoe.h, shuffler.h, device.h).
 * Source: firmware_bridge/README.md, "TableLink/1". */
#ifndef FIRMWARE_H
#define FIRMWARE_H

#include "state.h"

/* Power came. */
void firmware_boot(struct device *d, struct store *store);

/* A byte of the host. */
void firmware_receive(struct device *d, uint8_t byte);

/* Time went by. True: there is more to do at once. */
bool firmware_poll(struct device *d);

#endif
