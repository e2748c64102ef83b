/* What sensors and people do to a shuffler. A maker calls these from drivers of
 * real sensors.
 * Not: requests of the host (role.h).
 * Source: firmware_bridge/tablelink/README.md. */
#ifndef SHUFFLER_H
#define SHUFFLER_H

#include "state.h"

enum holding { EMPTY, LOADING, COUNTED, SHUFFLING, SHUFFLED, STORED, RELEASED, HELD };

/* Each gives NULL, or why the machine does not let it happen. Compartments are 1 and 2. */
const char *shuffler_put(struct device *d, uint8_t compartment, uint16_t cards, const char *back);
const char *shuffler_take(struct device *d, uint8_t compartment);
/* A key on the device's own panel: the same as the request, by hand. */
const char *shuffler_press(struct device *d, uint8_t order, uint8_t compartment);
/* So many cards slip past the counter of a shuffle. */
void shuffler_slip(struct device *d, uint8_t compartment, uint16_t cards);
void shuffler_jam(struct device *d, uint8_t compartment, bool cleared);
void shuffler_residual(struct device *d, uint8_t compartment, uint16_t cards);

/* How long a shuffle of the bench's mechanism takes. */
void shuffler_pace(uint32_t milliseconds);

#endif
