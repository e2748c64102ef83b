/* Bytes to frames and back: COBS, CRC-32C, the header and its bounds.
 * Not: payloads (cbor.h) and for what is said (session.h).
 * Source: firmware_bridge/tablelink/README.md, "Wire"; COBS: Cheshire and Baker 1999;
 * CRC-32C: RFC 3720, B.4. */
#ifndef FRAME_H
#define FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_HEADER 16u
#define FRAME_PAYLOAD_MAX 472u
#define FRAME_RAW_MAX 492u
#define FRAME_COBS_MAX 494u
#define FRAME_WIRE_MAX 496u

#define FLAG_SEC 1u
#define FLAG_RETX 2u
#define FLAG_MORE 4u
#define FLAG_ACKV 8u

enum channel { CHANNEL_LINK, CHANNEL_EVENT, CHANNEL_RPC, CHANNEL_SMP, CHANNEL_TRACE };

/* FRAME_TRACE is no fault: such frames are for people with an analyser. */
enum frame_fault {
    FRAME_GOOD,
    FRAME_TRACE,
    FRAME_BAD_COBS,
    FRAME_BAD_LENGTH,
    FRAME_BAD_CRC,
    FRAME_BAD_VERSION,
    FRAME_BAD_FLAGS,
    FRAME_BAD_CHANNEL,
    FRAME_FAULTS
};

struct frame {
    uint8_t flags, channel, type;
    uint32_t ctr, seq, ack;
    const uint8_t *payload;
    size_t length;
};

/* What came since the last zero. `overrun` counts runs that were too long. */
struct assembler {
    uint8_t bytes[FRAME_COBS_MAX];
    size_t length;
    bool too_long;
    uint32_t overrun;
};

uint32_t crc32c(const uint8_t *bytes, size_t length);

/* One byte; true when a frame's bytes are whole, which then wait in `bytes`, `length`. */
bool frame_gather(struct assembler *assembler, uint8_t byte, size_t *length);

/* Decodes in place: the payload points into `bytes`. */
enum frame_fault frame_decode(uint8_t *bytes, size_t length, struct frame *frame);

/* The length on the wire; 0: the payload is too long. */
size_t frame_encode(const struct frame *frame, uint8_t wire[FRAME_WIRE_MAX]);

#endif
