/* The bounded, deterministic CBOR of payloads: is it well made, what is in it,
 * and writing it.
 * Not: which keys a message has (session.c, events.c).
 * Source: firmware_bridge/tablelink/README.md, "Wire"; RFC 8949, 3 and 4.2.1. */
#include "cbor.h"

#include <string.h>

enum major { UINT, NEGATIVE, BYTES, TEXT, ARRAY, MAP, TAG, SIMPLE };

#define SIMPLE_FALSE 20u
#define SIMPLE_TRUE 21u
#define SIMPLE_NULL 22u

struct reader {
    const uint8_t *at;
    size_t left;
};

struct item {
    uint8_t major;
    uint64_t value;
};

/* How large a value must be at least to be written in so many more bytes. */
static bool is_shortest(uint64_t value, size_t more)
{
    switch (more) {
    case 1:
        return value >= 24;
    case 2:
        return value > 0xff;
    case 4:
        return value > 0xffff;
    case 8:
        return value > 0xffffffffu;
    default:
        return true;
    }
}

static bool read_item(struct reader *r, struct item *item)
{
    if (r->left == 0)
        return false;
    uint8_t info = *r->at & 31u;
    item->major = (uint8_t)(*r->at >> 5);
    item->value = info;
    size_t more = info < 24 ? 0 : (size_t)1 << (info - 24);
    if (info > 27 || r->left - 1 < more)
        return false;
    if (more)
        item->value = 0;
    for (size_t i = 1; i <= more; i++)
        item->value = item->value << 8 | r->at[i];
    r->at += 1 + more;
    r->left -= 1 + more;
    return item->major == SIMPLE ? more == 0 : is_shortest(item->value, more);
}

/* How many bytes the character at `at` has; 0: it is none. RFC 3629, 4. */
static size_t utf8_length(const uint8_t *at, size_t left)
{
    uint8_t first = at[0];
    if (first < 0x80)
        return 1;
    size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || left < length)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    bool overlong = (first == 0xe0 && at[1] < 0xa0) || (first == 0xf0 && at[1] < 0x90);
    bool surrogate = first == 0xed && at[1] > 0x9f;
    bool beyond = first == 0xf4 && at[1] > 0x8f;
    return overlong || surrogate || beyond ? 0 : length;
}

static bool is_utf8(const uint8_t *at, size_t left)
{
    while (left) {
        size_t length = utf8_length(at, left);
        if (length == 0)
            return false;
        at += length;
        left -= length;
    }
    return true;
}

static bool pass_string(struct reader *r, const struct item *item)
{
    uint64_t most = item->major == BYTES ? CBOR_BYTES_MAX : CBOR_TEXT_MAX;
    if (item->value > most || item->value > r->left)
        return false;
    size_t length = (size_t)item->value;
    if (item->major == TEXT && !is_utf8(r->at, length))
        return false;
    r->at += length;
    r->left -= length;
    return true;
}

static bool pass_key(struct reader *r, uint64_t *last, bool first)
{
    struct item key;
    if (!read_item(r, &key) || key.major != UINT)
        return false;
    bool after = key.value > *last;
    *last = key.value;
    return first || after;
}

/* `depth` of what is passed, the payload's own map being 1. */
static bool pass(struct reader *r, int depth)
{
    struct item item;
    uint64_t key = 0;
    if (!read_item(r, &item))
        return false;
    if (item.major <= NEGATIVE)
        return true;
    if (item.major == BYTES || item.major == TEXT)
        return pass_string(r, &item);
    if (item.major == SIMPLE)
        return item.value >= SIMPLE_FALSE && item.value <= SIMPLE_NULL;
    if (item.major == TAG || depth > CBOR_DEPTH_MAX || item.value > CBOR_ENTRIES_MAX)
        return false;
    for (uint64_t i = 0; i < item.value; i++) {
        if (item.major == MAP && !pass_key(r, &key, i == 0))
            return false;
        if (!pass(r, depth + 1))
            return false;
    }
    return true;
}

bool cbor_well_made(const uint8_t *payload, size_t length)
{
    if (length == 0)
        return true;
    struct reader r = {payload, length};
    return payload[0] >> 5 == MAP && pass(&r, 1) && r.left == 0;
}

/* The value of a key of the payload's own map, its head read. */
static bool find(const uint8_t *payload, size_t length, uint64_t key, struct reader *r,
                 struct item *value)
{
    struct item map, found;
    *r = (struct reader){payload, length};
    if (!read_item(r, &map))
        return false;
    for (uint64_t i = 0; i < map.value; i++) {
        if (!read_item(r, &found))
            return false;
        if (found.major == UINT && found.value == key)
            return read_item(r, value);
        if (!pass(r, 2))
            return false;
    }
    return false;
}

bool cbor_has(const uint8_t *payload, size_t length, uint64_t key)
{
    struct reader r;
    struct item item;
    return find(payload, length, key, &r, &item);
}

bool cbor_find_uint(const uint8_t *payload, size_t length, uint64_t key, uint64_t *value)
{
    struct reader r;
    struct item item;
    if (!find(payload, length, key, &r, &item) || item.major != UINT)
        return false;
    *value = item.value;
    return true;
}

bool cbor_find_bytes(const uint8_t *payload, size_t length, uint64_t key, const uint8_t **bytes,
                     size_t *count)
{
    struct reader r;
    struct item item;
    if (!find(payload, length, key, &r, &item) || item.major != BYTES)
        return false;
    *bytes = r.at;
    *count = (size_t)item.value;
    return true;
}

struct writer writer_on(uint8_t *bytes, size_t size)
{
    return (struct writer){bytes, size, 0, false};
}

void write_item(struct writer *w, const uint8_t *bytes, size_t length)
{
    if (length > w->size - w->length) {
        w->full = true;
        return;
    }
    if (length)
        memcpy(w->bytes + w->length, bytes, length);
    w->length += length;
}

static void write_head(struct writer *w, uint8_t major, uint64_t value)
{
    uint8_t head[9];
    uint32_t doublings = value <= 0xff ? 0 : value <= 0xffff ? 1 : value <= 0xffffffffu ? 2 : 3;
    size_t more = value < 24 ? 0 : (size_t)1 << doublings;
    head[0] = (uint8_t)((uint32_t)major << 5 | (more ? 24u + doublings : (uint32_t)value));
    for (size_t i = 0; i < more; i++)
        head[1 + i] = (uint8_t)(value >> (8 * (more - 1 - i)));
    write_item(w, head, 1 + more);
}

void write_map(struct writer *w, uint64_t entries)
{
    write_head(w, MAP, entries);
}

void write_array(struct writer *w, uint64_t entries)
{
    write_head(w, ARRAY, entries);
}

void write_uint(struct writer *w, uint64_t value)
{
    write_head(w, UINT, value);
}

void write_bytes(struct writer *w, const uint8_t *bytes, size_t length)
{
    write_head(w, BYTES, length);
    write_item(w, bytes, length);
}

void write_text(struct writer *w, const char *text)
{
    size_t length = strlen(text);
    write_head(w, TEXT, length);
    write_item(w, (const uint8_t *)text, length);
}

void write_bool(struct writer *w, bool value)
{
    write_head(w, SIMPLE, value ? SIMPLE_TRUE : SIMPLE_FALSE);
}

void write_null(struct writer *w)
{
    write_head(w, SIMPLE, SIMPLE_NULL);
}
