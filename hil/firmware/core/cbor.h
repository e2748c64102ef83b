/* The bounded, deterministic CBOR of payloads: is it well made, what is in it,
 * and writing it.
 * Not: which keys a message has (session.c, events.c).
 * Source: firmware_bridge/tablelink/README.md, "Wire"; RFC 8949, 3 and 4.2.1. */
#ifndef CBOR_H
#define CBOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CBOR_DEPTH_MAX 4
#define CBOR_BYTES_MAX 400u
#define CBOR_TEXT_MAX 64u
#define CBOR_ENTRIES_MAX 32u

/* Empty, or one map in the one form that is allowed, and nothing after it. */
bool cbor_well_made(const uint8_t *payload, size_t length);

/* These ask a payload that is well made. False: the key is missing or of another type. */
bool cbor_has(const uint8_t *payload, size_t length, uint64_t key);
bool cbor_find_uint(const uint8_t *payload, size_t length, uint64_t key, uint64_t *value);
bool cbor_find_bytes(const uint8_t *payload, size_t length, uint64_t key, const uint8_t **bytes,
                     size_t *count);

/* Writes until it is full; `full` then says that what was written is worth nothing. */
struct writer {
    uint8_t *bytes;
    size_t size, length;
    bool full;
};

struct writer writer_on(uint8_t *bytes, size_t size);
void write_map(struct writer *w, uint64_t entries);
void write_array(struct writer *w, uint64_t entries);
void write_uint(struct writer *w, uint64_t value);
void write_bytes(struct writer *w, const uint8_t *bytes, size_t length);
void write_text(struct writer *w, const char *text);
void write_bool(struct writer *w, bool value);
void write_null(struct writer *w);
/* An item that was written elsewhere. */
void write_item(struct writer *w, const uint8_t *bytes, size_t length);

#endif
