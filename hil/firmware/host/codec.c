/* The core's frames and CBOR, asked line by line, for tests with golden bytes:
 * crc HEX; stream HEX (bytes of the line); frame FLAGS CHANNEL TYPE CTR SEQ ACK HEX.
 * Not: the device (main.c).
 * Source: firmware_bridge/tablelink/README.md, "Wire". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cbor.h"
#include "frame.h"

#define LINE 8192

static size_t unhex(const char *text, uint8_t *bytes)
{
    size_t length = 0;
    unsigned value;
    while (sscanf(text, "%2x", &value) == 1) {
        bytes[length++] = (uint8_t)value;
        text += 2;
    }
    return length;
}

static void hex(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        printf("%02x", bytes[i]);
}

static void show(enum frame_fault fault, const struct frame *f)
{
    if (fault != FRAME_GOOD) {
        printf("bad %d\n", fault);
        return;
    }
    printf("%s %u %u %u %u %u %u ", cbor_well_made(f->payload, f->length) ? "frame" : "payload",
           f->flags, f->channel, f->type, f->ctr, f->seq, f->ack);
    hex(f->payload, f->length);
    printf("\n");
}

static void stream(const uint8_t *bytes, size_t count)
{
    struct assembler assembler = {0};
    struct frame frame;
    size_t length;
    for (size_t i = 0; i < count; i++)
        if (frame_gather(&assembler, bytes[i], &length))
            show(frame_decode(assembler.bytes, length, &frame), &frame);
    for (uint32_t i = 0; i < assembler.overrun; i++)
        printf("bad 0\n");
}

static void encode(const char *text)
{
    uint8_t payload[LINE], wire[FRAME_WIRE_MAX];
    unsigned flags, channel, type, ctr, seq, ack;
    int end = 0;
    sscanf(text, "%u %u %u %u %u %u %n", &flags, &channel, &type, &ctr, &seq, &ack, &end);
    struct frame frame = {(uint8_t)flags, (uint8_t)channel, (uint8_t)type, ctr, seq, ack, payload, 0};
    frame.length = unhex(text + end, payload);
    hex(wire, frame_encode(&frame, wire));
    printf("\n");
}

int main(void)
{
    static char line[LINE];
    static uint8_t bytes[LINE];
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "crc ", 4) == 0)
            printf("%08x\n", crc32c(bytes, unhex(line + 4, bytes)));
        else if (strncmp(line, "stream ", 7) == 0)
            stream(bytes, unhex(line + 7, bytes));
        else if (strncmp(line, "frame ", 6) == 0)
            encode(line + 6);
        printf(".\n");
        fflush(stdout);
    }
    return 0;
}
