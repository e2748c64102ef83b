/* What is the same in every role: storing, sending, what keeps cards from moving, lids, warnings.
 * Not: what a role does (shuffler.c, shoe.c) and the board (hal.h).
 * Source: firmware_bridge/tablelink/README.md. */
#include "device.h"

#include "events.h"
#include "hal.h"
#include "ring.h"
#include "role.h"
#include "store.h"

#define SILENT_US 4000000u

void device_settle(struct device *d)
{
    if (d->changed)
        store_commit(d);
    hal_outputs(role_outputs(d));
}

void device_send(struct device *d, struct frame frame)
{
    frame.ctr = d->session.ctr++;
    frame.ack = d->head.request_top;
    if (frame.ack)
        frame.flags |= FLAG_ACKV;
    hal_send(d->wire, frame_encode(&frame, d->wire));
    d->session.said_us = hal_uptime_us();
}

bool device_host_silent(const struct device *d)
{
    return !d->session.heard || hal_uptime_us() - d->session.heard_us >= SILENT_US;
}

const char *device_bars(const struct device *d)
{
    if (ring_gate_closed(d))
        return "the gate is closed: events wait for the host";
    if (d->head.mode != MODE_PLAY)
        return "the device is not in play mode";
    if (d->head.lid_open)
        return "the lid is open";
    if (d->head.warning_count)
        return "a warning is active";
    if (device_host_silent(d))
        return "the host is silent";
    return NULL;
}

bool device_feeds(const struct device *d)
{
    return device_bars(d) == NULL;
}

void device_lid(struct device *d, uint8_t compartment, bool open)
{
    if (compartment == 0)
        d->head.lid_open = open;
    else
        d->head.compartments[compartment - 1].lid_open = open;
    d->changed = true;
    tell_lid(d, open, compartment);
    if (open)
        role_opened(d, compartment);
    device_settle(d);
}

static void drop_warning(struct head *head, uint16_t code)
{
    uint8_t kept = 0;
    for (uint8_t i = 0; i < head->warning_count; i++)
        if (head->warnings[i] != code)
            head->warnings[kept++] = head->warnings[i];
    head->warning_count = kept;
}

void device_warn(struct device *d, uint16_t code, const char *text, bool active)
{
    drop_warning(&d->head, code);
    if (active && d->head.warning_count < WARNINGS_MAX)
        d->head.warnings[d->head.warning_count++] = code;
    d->changed = true;
    tell_warning(d, code, text, active);
    device_settle(d);
}

void device_self_test(struct device *d)
{
    bool whole = true;
    for (uint64_t number = d->head.first; number < d->head.next; number++)
        whole = whole && ring_at(d, number) != NULL;
    tell_self_test(d, whole, whole ? "memory is whole" : "memory is damaged");
}

void device_mode(struct device *d, uint8_t mode)
{
    d->head.mode = mode;
    d->changed = true;
    tell_number(d, EVENT_MODE, mode);
    if (mode != MODE_PLAY)
        role_out_of_play(d);
}
