/* One device and a host of the document's making in one process, under a clock that
 * moves on request; what may never happen aborts.
 * Not: choosing what happens (powercut.c, fuzz/).
 * Source: firmware_bridge/tablelink/README.md; hil/firmware/README.md. */
#ifndef LIFE_H
#define LIFE_H

#include <stddef.h>
#include <stdint.h>

#include "state.h"

/* A device out of the box, and a host that does not know it. */
void life_begin(void);

/* Power fails after so many more bytes written to the memory that survives. */
void life_cut_after(size_t bytes);

/* Each does its part until it is done or power fails; after that the device has booted again, and
 * what was under way within it is lost. */
void life_tick(uint32_t milliseconds);
void life_stimulus(const char *line);
void life_bytes(const uint8_t *bytes, size_t length);
void life_power_cycle(void);

/* The host opens a new session; sends a new request; repeats its last request. */
void life_hello(void);
void life_ask(uint8_t order, uint32_t argument);
void life_ask_again(void);

/* The step a batch's way round asks for next in this compartment of a shuffler. */
void life_step(uint8_t compartment);

/* So many of the next frames, either way, are lost. */
void life_lose(uint32_t frames);

/* A host that loses nothing any more gets all that is kept and its answer; then all is judged. */
void life_end(void);

/* Bytes written to the surviving memory since life_begin. */
size_t life_stored(void);

#endif
