/* A dealing shoe: which cards leave, its gate and its lock.
 * Not: what the cards mean at the table.
 * Source: firmware_bridge/tablelink/README.md, "Events", "Requests". */
#include "shoe.h"

#include "device.h"
#include "events.h"
#include "hal.h"
#include "ring.h"
#include "role.h"

uint32_t role_under_way(const struct device *d)
{
    (void)d;
    return 0;
}

void role_boot(struct device *d, uint32_t under_way)
{
    (void)d;
    (void)under_way;
}

void role_poll(struct device *d, uint64_t moved_us)
{
    (void)d;
    (void)moved_us;
}

bool role_busy(const struct device *d)
{
    (void)d;
    return false;
}

void role_opened(struct device *d, uint8_t compartment)
{
    (void)d;
    (void)compartment;
}

void role_out_of_play(struct device *d)
{
    (void)d;
}

struct outcome role_request(struct device *d, uint8_t order, uint64_t argument)
{
    (void)argument;
    if (order != ORDER_LOCK && order != ORDER_UNLOCK)
        return (struct outcome){REQUEST_UNKNOWN, "this device is a shoe"};
    d->head.locked = order == ORDER_LOCK;
    d->changed = true;
    return (struct outcome){REQUEST_DONE, NULL};
}

static const char *holds(const struct device *d)
{
    if (d->head.locked)
        return "the shoe is locked";
    if (d->head.compartments[0].jammed)
        return "the exit is jammed";
    return device_bars(d);
}

uint32_t role_outputs(const struct device *d)
{
    return (holds(d) ? 0 : OUTPUT_GATE) | (d->head.locked ? OUTPUT_LOCK : 0);
}

const char *shoe_card(struct device *d, const uint8_t *tag, size_t length, uint16_t face)
{
    const char *why = holds(d);
    if (!why)
        tell_card_out(d, tag, length, face);
    device_settle(d);
    return why;
}

const char *shoe_card_unread(struct device *d)
{
    const char *why = holds(d);
    if (!why)
        tell_nothing_more(d, EVENT_READ_FAIL);
    device_settle(d);
    return why;
}

const char *shoe_cards_at_once(struct device *d, uint16_t cards)
{
    const char *why = holds(d);
    if (!why)
        tell_number(d, EVENT_DOUBLE_FEED, cards);
    device_settle(d);
    return why;
}

const char *shoe_cut_card(struct device *d)
{
    const char *why = holds(d);
    if (!why)
        tell_nothing_more(d, EVENT_CUT_CARD);
    device_settle(d);
    return why;
}

void shoe_retracted(struct device *d, const uint8_t *tag, size_t length)
{
    tell_card_retracted(d, tag, length);
    device_settle(d);
}

void shoe_loaded(struct device *d, const char *pack)
{
    tell_text(d, EVENT_SHOE_LOADED, pack);
    device_settle(d);
}

void shoe_empty(struct device *d)
{
    tell_nothing_more(d, EVENT_SHOE_EMPTY);
    device_settle(d);
}

void shoe_jam(struct device *d, bool cleared)
{
    d->head.compartments[0].jammed = !cleared;
    d->changed = true;
    tell_jam(d, 0, cleared);
    device_settle(d);
}
