/* The events that wait for the host's acknowledgement: numbered once, never
 * written over, freed only up to what the host stored.
 * Not: what an event says (events.c) and when it is sent (session.c).
 * Source: firmware_bridge/tablelink/README.md, "Events". */
#include "ring.h"

#include <string.h>

#include "cbor.h"
#include "frame.h"
#include "hal.h"
#include "store.h"

static const uint8_t EMPTY_BODY[] = {0xa0};

static struct record *place_of(const struct device *d, uint64_t number)
{
    return &d->store->ring[number % RING_PLACES];
}

static uint32_t record_crc(const struct record *record)
{
    return crc32c((const uint8_t *)record, offsetof(struct record, payload) + record->length);
}

static bool make_draft(struct device *d, uint8_t kind, const uint8_t *body, size_t length)
{
    struct record *draft = &d->draft;
    struct writer w = writer_on(draft->payload, sizeof draft->payload);
    write_map(&w, 5);
    write_uint(&w, 1);
    write_uint(&w, d->boot_id);
    write_uint(&w, 2);
    write_uint(&w, d->head.next);
    write_uint(&w, 3);
    write_uint(&w, hal_uptime_us());
    write_uint(&w, 4);
    write_uint(&w, kind);
    write_uint(&w, 5);
    write_item(&w, body, length);
    draft->number = d->head.next;
    draft->kind = kind;
    draft->length = (uint16_t)w.length;
    return !w.full;
}

bool ring_put(struct device *d, uint8_t kind, const uint8_t *body, size_t length)
{
    uint32_t kept = ring_kept(d);
    if (kept >= RING_PLACES) {
        d->counters.lost++;
        return false;
    }
    bool last = kept == RING_PLACES - 1;
    if (last) {
        d->counters.lost++;
        kind = EVENT_OVERFLOW;
        body = EMPTY_BODY;
        length = sizeof EMPTY_BODY;
    }
    if (!make_draft(d, kind, body, length))
        return false;
    struct record *place = place_of(d, d->head.next);
    d->draft.crc = record_crc(&d->draft);
    hal_store(place, &d->draft, offsetof(struct record, payload) + d->draft.length);
    hal_store(&place->crc, &d->draft.crc, sizeof place->crc);
    d->head.next++;
    d->changed = true;
    return !last;
}

const struct record *ring_at(const struct device *d, uint64_t number)
{
    const struct record *record = place_of(d, number);
    if (number < d->head.first || number >= d->head.next)
        return NULL;
    bool whole = record->number == number && record->length <= RECORD_BYTES &&
                 record->crc == record_crc(record);
    return whole ? record : NULL;
}

void ring_free(struct device *d, uint64_t number)
{
    if (number < d->head.first || number >= d->head.next)
        return;
    d->head.first = number + 1;
    /* At once: the place may be written again only when no head refers to it. */
    store_commit(d);
}

uint32_t ring_kept(const struct device *d)
{
    return (uint32_t)(d->head.next - d->head.first);
}

bool ring_gate_closed(const struct device *d)
{
    return ring_kept(d) * 10u >= RING_PLACES * 9u;
}

void ring_mend(struct device *d)
{
    for (uint64_t number = d->head.next; number-- > d->head.first;)
        if (!ring_at(d, number)) {
            d->counters.damaged++;
            d->head.first = number + 1;
            d->changed = true;
        }
}
