/* What sensors and people do to a dealing shoe. A maker calls these from drivers
 * of real sensors.
 * Not: requests of the host (role.h).
 * Source: firmware_bridge/tablelink/README.md. */
#ifndef SHOE_H
#define SHOE_H

#include "state.h"

#define TAG_BYTES_MAX 16u

/* NULL, or why the gate holds the card. `length` 0: no tag read; `face` 0: no face read. */
const char *shoe_card(struct device *d, const uint8_t *tag, size_t length, uint16_t face);
const char *shoe_card_unread(struct device *d);
const char *shoe_cards_at_once(struct device *d, uint16_t cards);
const char *shoe_cut_card(struct device *d);
void shoe_retracted(struct device *d, const uint8_t *tag, size_t length);
void shoe_loaded(struct device *d, const char *pack);
void shoe_empty(struct device *d);
void shoe_jam(struct device *d, bool cleared);

#endif
