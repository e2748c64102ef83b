/* Bytes to frames and back: COBS, CRC-32C, the header and its bounds.
 * Not: payloads (cbor.c) and for what is said (session.c).
 * Source: firmware_bridge/tablelink/README.md, "Wire"; COBS: Cheshire and Baker 1999;
 * CRC-32C: RFC 3720, B.4. */
#include "frame.h"

#include <string.h>

#define VERSION_1 1u
#define FLAGS_KNOWN (FLAG_RETX | FLAG_ACKV)
#define CRC_BYTES 4u

/* Four bits at a time: 64 bytes of table instead of a kilobyte. */
static const uint32_t crc_of_nibble[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

uint32_t crc32c(const uint8_t *bytes, size_t length)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < length; i++) {
        crc ^= bytes[i];
        crc = (crc >> 4) ^ crc_of_nibble[crc & 15u];
        crc = (crc >> 4) ^ crc_of_nibble[crc & 15u];
    }
    return ~crc;
}

static uint32_t read_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void write_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

bool frame_gather(struct assembler *assembler, uint8_t byte, size_t *length)
{
    if (byte != 0) {
        if (assembler->length < FRAME_COBS_MAX)
            assembler->bytes[assembler->length++] = byte;
        else
            assembler->too_long = true;
        return false;
    }
    *length = assembler->too_long ? 0 : assembler->length;
    if (assembler->too_long)
        assembler->overrun++;
    assembler->too_long = false;
    assembler->length = 0;
    return *length > 0;
}

/* In place, since what is decoded is never longer than what is read. SIZE_MAX: no COBS. */
static size_t cobs_decode(uint8_t *bytes, size_t length)
{
    size_t read = 0, written = 0;
    while (read < length) {
        size_t code = bytes[read++];
        if (code == 0 || code - 1 > length - read)
            return SIZE_MAX;
        for (size_t i = 1; i < code; i++) {
            if (bytes[read] == 0)
                return SIZE_MAX;
            bytes[written++] = bytes[read++];
        }
        if (code < 255 && read < length)
            bytes[written++] = 0;
    }
    return written;
}

/* `to` has room for FRAME_COBS_MAX bytes, `from` at most FRAME_RAW_MAX. */
static size_t cobs_encode(const uint8_t *from, size_t length, uint8_t *to)
{
    size_t code_at = 0, written = 1;
    uint8_t code = 1;
    for (size_t i = 0; i < length; i++) {
        if (from[i] != 0) {
            to[written++] = from[i];
            code++;
        }
        if (from[i] == 0 || (code == 255 && i + 1 < length)) {
            to[code_at] = code;
            code_at = written++;
            code = 1;
        }
    }
    to[code_at] = code;
    return written;
}

static enum frame_fault header_fault(const struct frame *frame, uint8_t version)
{
    if (version != VERSION_1)
        return FRAME_BAD_VERSION;
    if (frame->flags & ~FLAGS_KNOWN)
        return FRAME_BAD_FLAGS;
    if (frame->channel == CHANNEL_TRACE)
        return FRAME_TRACE;
    return frame->channel <= CHANNEL_RPC ? FRAME_GOOD : FRAME_BAD_CHANNEL;
}

enum frame_fault frame_decode(uint8_t *bytes, size_t length, struct frame *frame)
{
    size_t raw = cobs_decode(bytes, length);
    if (raw == SIZE_MAX)
        return FRAME_BAD_COBS;
    if (raw < FRAME_HEADER + CRC_BYTES || raw > FRAME_RAW_MAX)
        return FRAME_BAD_LENGTH;
    if (crc32c(bytes, raw - CRC_BYTES) != read_u32(bytes + raw - CRC_BYTES))
        return FRAME_BAD_CRC;
    frame->flags = bytes[1];
    frame->channel = bytes[2];
    frame->type = bytes[3];
    frame->ctr = read_u32(bytes + 4);
    frame->seq = read_u32(bytes + 8);
    frame->ack = read_u32(bytes + 12);
    frame->payload = bytes + FRAME_HEADER;
    frame->length = raw - FRAME_HEADER - CRC_BYTES;
    return header_fault(frame, bytes[0]);
}

size_t frame_encode(const struct frame *frame, uint8_t wire[FRAME_WIRE_MAX])
{
    static uint8_t raw[FRAME_RAW_MAX];
    if (frame->length > FRAME_PAYLOAD_MAX)
        return 0;
    size_t length = FRAME_HEADER + frame->length;
    raw[0] = VERSION_1;
    raw[1] = frame->flags;
    raw[2] = frame->channel;
    raw[3] = frame->type;
    write_u32(raw + 4, frame->ctr);
    write_u32(raw + 8, frame->seq);
    write_u32(raw + 12, frame->ack);
    if (frame->length)
        memcpy(raw + FRAME_HEADER, frame->payload, frame->length);
    write_u32(raw + length, crc32c(raw, length));
    wire[0] = 0;
    size_t coded = cobs_encode(raw, length + CRC_BYTES, wire + 1);
    wire[coded + 1] = 0;
    return coded + 2;
}
