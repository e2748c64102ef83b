/* The bodies of the events that this firmware reports.
 * Not: when they are reported (shuffler.c, shoe.c, device.c), and storing them (ring.c).
 * Source: firmware_bridge/tablelink/README.md, "Events". No body discloses an undealt
 * order. */
#include "events.h"

#include <string.h>

#include "cbor.h"
#include "hal.h"

#define BODY_BYTES 150u

static void put(struct device *d, uint8_t kind, const struct writer *w)
{
    if (!w->full)
        (void)ring_put(d, kind, w->bytes, w->length);
}

static void write_key_uint(struct writer *w, uint8_t key, uint64_t value)
{
    write_uint(w, key);
    write_uint(w, value);
}

static void write_key_bool(struct writer *w, uint8_t key, bool value)
{
    write_uint(w, key);
    write_bool(w, value);
}

static void write_key_text(struct writer *w, uint8_t key, const char *text)
{
    char cut[EVENT_TEXT_MAX + 1] = "";
    strncat(cut, text, EVENT_TEXT_MAX);
    write_uint(w, key);
    write_text(w, cut);
}

static void write_key_bytes(struct writer *w, uint8_t key, const uint8_t *bytes, size_t length)
{
    write_uint(w, key);
    write_bytes(w, bytes, length);
}

void tell_nothing_more(struct device *d, uint8_t kind)
{
    uint8_t body[1];
    struct writer w = writer_on(body, sizeof body);
    write_map(&w, 0);
    put(d, kind, &w);
}

void tell_text(struct device *d, uint8_t kind, const char *text)
{
    uint8_t body[BODY_BYTES];
    struct writer w = writer_on(body, sizeof body);
    write_map(&w, 1);
    write_key_text(&w, 1, text);
    put(d, kind, &w);
}

void tell_number(struct device *d, uint8_t kind, uint64_t value)
{
    uint8_t body[BODY_BYTES];
    struct writer w = writer_on(body, sizeof body);
    write_map(&w, 1);
    write_key_uint(&w, 1, value);
    put(d, kind, &w);
}

void tell_card_out(struct device *d, const uint8_t *tag, size_t length, uint16_t face)
{
    uint8_t body[BODY_BYTES];
    struct writer w = writer_on(body, sizeof body);
    write_map(&w, (length ? 1u : 0u) + (face ? 1u : 0u));
    if (length)
        write_key_bytes(&w, 1, tag, length);
    if (face)
        write_key_uint(&w, 2, face);
    put(d, EVENT_CARD_OUT, &w);
}

void tell_card_retracted(struct device *d, const uint8_t *tag, size_t length)
{
    uint8_t body[BODY_BYTES];
    struct writer w = writer_on(body, sizeof body);
    write_map(&w, 1);
    write_key_bytes(&w, 1, tag, length);
    put(d, EVENT_CARD_RETRACTED, &w);
}

void tell_lid(struct device *d, bool open, uint8_t compartment)
{
    uint8_t body[BODY_BYTES];
    struct writer w = writer_on(body, sizeof body);
    write_map(&w, 2);
    write_key_bool(&w, 1, open);
    write_key_uint(&w, 2, compartment);
    put(d, EVENT_LID, &w);
}

void tell_jam(struct device *d, uint8_t compartment, bool cleared)
{
    uint8_t body[BODY_BYTES];
    struct writer w = writer_on(body, sizeof body);
    write_map(&w, 2);
    write_key_uint(&w, 1, compartment);
    write_key_bool(&w, 2, cleared);
    put(d, EVENT_JAM, &w);
}

void tell_batch_started(struct device *d, uint8_t compartment)
{
    uint8_t body[BODY_BYTES];
    struct writer w = writer_on(body, sizeof body);
    write_map(&w, 2);
    write_key_uint(&w, 1, compartment);
    write_key_uint(&w, 2, d->head.compartments[compartment - 1].cycle);
    put(d, EVENT_BATCH_STARTED, &w);
}

static struct writer receipt(struct device *d, uint8_t compartment, uint16_t count, uint8_t result,
                             uint8_t *bytes, size_t size)
{
    const struct compartment *c = &d->head.compartments[compartment - 1];
    struct writer w = writer_on(bytes, size);
    write_map(&w, c->back[0] ? 12 : 11);
    write_key_bytes(&w, 1, (const uint8_t *)DEVICE_ID, sizeof(DEVICE_ID) - 1);
    write_key_uint(&w, 2, d->boot_id);
    write_key_uint(&w, 3, c->cycle);
    write_key_uint(&w, 4, compartment);
    write_key_uint(&w, 5, count);
    write_key_uint(&w, 6, result);
    if (c->back[0])
        write_key_text(&w, 7, c->back);
    write_key_uint(&w, 9, c->began_us);
    write_key_uint(&w, 10, hal_uptime_us());
    write_key_bytes(&w, 11, hal_image, 32);
    write_key_text(&w, 12, VERSION);
    write_key_uint(&w, 13, d->head.boot_count);
    return w;
}

void tell_batch_done(struct device *d, uint8_t compartment, uint16_t count, uint8_t result)
{
    uint8_t inner[BODY_BYTES - 6], body[BODY_BYTES];
    struct writer sealed = receipt(d, compartment, count, result, inner, sizeof inner);
    struct writer w = writer_on(body, sizeof body);
    write_map(&w, 2);
    write_key_bytes(&w, 1, inner, sealed.length);
    write_key_bool(&w, 2, false);
    w.full = w.full || sealed.full;
    put(d, EVENT_BATCH_DONE, &w);
}

void tell_batch_aborted(struct device *d, uint8_t compartment, uint8_t reason)
{
    uint8_t body[BODY_BYTES];
    struct writer w = writer_on(body, sizeof body);
    write_map(&w, 3);
    write_key_uint(&w, 1, compartment);
    write_key_uint(&w, 2, d->head.compartments[compartment - 1].cycle);
    write_key_uint(&w, 3, reason);
    put(d, EVENT_BATCH_ABORTED, &w);
}

void tell_self_test(struct device *d, bool passed, const char *text)
{
    uint8_t body[BODY_BYTES];
    struct writer w = writer_on(body, sizeof body);
    write_map(&w, 2);
    write_key_bool(&w, 1, passed);
    write_key_text(&w, 2, text);
    put(d, EVENT_SELFTEST, &w);
}

void tell_power_up(struct device *d, uint32_t under_way)
{
    uint8_t body[BODY_BYTES];
    struct writer w = writer_on(body, sizeof body);
    write_map(&w, 2);
    write_key_uint(&w, 1, d->head.boot_count);
    write_key_uint(&w, 2, under_way);
    put(d, EVENT_POWER_UP, &w);
}

void tell_compartment(struct device *d, uint8_t compartment)
{
    const struct compartment *c = &d->head.compartments[compartment - 1];
    uint8_t body[BODY_BYTES];
    struct writer w = writer_on(body, sizeof body);
    bool has_back = c->counted && c->back[0];
    write_map(&w, 2u + (c->counted ? 1u : 0u) + (has_back ? 1u : 0u));
    write_key_uint(&w, 1, compartment);
    write_key_uint(&w, 2, c->state);
    if (c->counted)
        write_key_uint(&w, 3, c->cards);
    if (has_back)
        write_key_text(&w, 4, c->back);
    put(d, EVENT_COMPARTMENT, &w);
}

void tell_warning(struct device *d, uint16_t code, const char *text, bool active)
{
    uint8_t body[BODY_BYTES];
    struct writer w = writer_on(body, sizeof body);
    write_map(&w, 3);
    write_key_uint(&w, 1, code);
    write_key_text(&w, 2, text);
    write_key_bool(&w, 3, active);
    put(d, EVENT_WARNING, &w);
}

void tell_residual(struct device *d, uint16_t cards, uint8_t compartment)
{
    uint8_t body[BODY_BYTES];
    struct writer w = writer_on(body, sizeof body);
    write_map(&w, 2);
    write_key_uint(&w, 1, cards);
    write_key_uint(&w, 2, compartment);
    put(d, EVENT_RESIDUAL, &w);
}
