/* What survives power loss, laid out, and its one way of changing: all that
 * belongs together in one head, of which two copies are written in turn.
 * Not: which memory that is (the board's `hal_store` and linker script).
 * Source: firmware_bridge/tablelink/README.md, "Events", "Requests". */
#ifndef STORE_H
#define STORE_H

#include "state.h"

/* Takes the head that counts; a memory that holds none begins as a new device. */
void store_load(struct device *d);

/* Makes the working head count, at once or, if power fails, not at all. */
void store_commit(struct device *d);

#endif
