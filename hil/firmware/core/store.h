/* The two copies of the head: which counts, and changing it in one step.
 * Not: what they hold (state.h).
 * Source: firmware_bridge/README.md, "TableLink/1", "Events", "Requests". */
#ifndef STORE_H
#define STORE_H

#include "state.h"

/* Takes the head that counts; a memory that holds none begins as a new device. */
void store_load(struct device *d);

/* Makes the working head count, at once or, if power fails, not at all. */
void store_commit(struct device *d);

#endif
