/* The bodies of the events that this firmware reports.
 * Not: when they are reported (shuffler.c, shoe.c, device.c), and storing them (ring.c).
 * Source: firmware_bridge/tablelink/README.md, "Events". No body discloses an undealt
 * order. */
#ifndef EVENTS_H
#define EVENTS_H

#include "ring.h"

enum abort_reason { ABORT_JAM = 1, ABORT_POWER, ABORT_DOOR, ABORT_PERSON, ABORT_FAULT };

enum shuffle_result { RESULT_GOOD = 1, RESULT_COUNT_DIFFERS, RESULT_FACES_DIFFER, RESULT_UNVERIFIED };

/* Longer texts are cut; a record has to fit. */
#define EVENT_TEXT_MAX 32u

void tell_nothing_more(struct device *d, uint8_t kind);
void tell_text(struct device *d, uint8_t kind, const char *text);
/* A body {1: value}. */
void tell_number(struct device *d, uint8_t kind, uint64_t value);
/* Tag and face where they were read: a length of 0, a face of 0. */
void tell_card_out(struct device *d, const uint8_t *tag, size_t length, uint16_t face);
void tell_card_retracted(struct device *d, const uint8_t *tag, size_t length);
void tell_lid(struct device *d, bool open, uint8_t compartment);
void tell_jam(struct device *d, uint8_t compartment, bool cleared);
void tell_batch_started(struct device *d, uint8_t compartment);
void tell_batch_done(struct device *d, uint8_t compartment, uint16_t count, uint8_t result);
void tell_batch_aborted(struct device *d, uint8_t compartment, uint8_t reason);
void tell_self_test(struct device *d, bool passed, const char *text);
void tell_power_up(struct device *d, uint32_t under_way);
void tell_compartment(struct device *d, uint8_t compartment);
void tell_warning(struct device *d, uint16_t code, const char *text, bool active);
void tell_residual(struct device *d, uint16_t cards, uint8_t compartment);

#endif
