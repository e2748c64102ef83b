/* What the core needs of a board. A maker writes these and nothing else.
 * Not: how a board does it (lm3s6965/, host/, fuzz/).
 * Source: firmware_bridge/tablelink/README.md, "Time and heartbeat", "Events". */
#ifndef HAL_H
#define HAL_H

#include <stddef.h>
#include <stdint.h>

/* What the core wants of motors, gate and lock; derived from what is stored, never remembered. */
#define OUTPUT_MOTOR_1 1u
#define OUTPUT_MOTOR_2 2u
#define OUTPUT_GATE 4u
#define OUTPUT_LOCK 8u

/* Microseconds since this boot; never runs backwards. */
uint64_t hal_uptime_us(void);

/* All of it, in order; may wait for the line, never for the host. */
void hal_send(const uint8_t *bytes, size_t length);

/* Into the memory that survives power loss; done when it returns. Power may fail within it. */
void hal_store(void *place, const void *bytes, size_t length);

void hal_outputs(uint32_t wanted);

/* Whether the debug port is open; on a real device a fuse says so. */
int hal_debug_open(void);

/* SHA-256 of the image, as far as the board can tell. */
extern const uint8_t hal_image[32];

#endif
