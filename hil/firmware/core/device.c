/* The device as one value, and its four ways in: power, bytes, time, a sensor.
 * Not: what a role does (shuffler.c, shoe.c) and the board (hal.h).
 * Source: firmware_bridge/tablelink/README.md. */
#include "device.h"

#include <string.h>

#include "events.h"
#include "hal.h"
#include "ring.h"
#include "role.h"

/* The CRC of equally long inputs that differ in their last four bytes only always differs: no two
 * boots of a device have one id. */
static uint32_t boot_id_of(uint32_t boot_count)
{
    uint8_t seed[sizeof(DEVICE_ID) + sizeof boot_count] = DEVICE_ID;
    memcpy(seed + sizeof(DEVICE_ID), &boot_count, sizeof boot_count);
    return crc32c(seed, sizeof seed);
}

void device_boot(struct device *d, struct store *store)
{
    memset(d, 0, sizeof *d);
    d->store = store;
    store_load(d);
    ring_mend(d);
    d->head.boot_count++;
    d->boot_id = boot_id_of(d->head.boot_count);
    d->polled_us = hal_uptime_us();
    uint32_t under_way = role_under_way(d);
    tell_power_up(d, under_way);
    role_boot(d, under_way);
    d->changed = true;
    device_settle(d);
    session_boot(d);
}

void device_settle(struct device *d)
{
    if (d->changed)
        store_commit(d);
    hal_outputs(role_outputs(d));
}

void device_receive(struct device *d, uint8_t byte)
{
    size_t length;
    struct frame frame;
    if (!frame_gather(&d->assembler, byte, &length))
        return;
    enum frame_fault fault = frame_decode(d->assembler.bytes, length, &frame);
    if (fault != FRAME_GOOD) {
        d->counters.bad[fault]++;
        return;
    }
    d->counters.frames++;
    session_receive(d, &frame, hal_uptime_us());
    device_settle(d);
}

bool device_poll(struct device *d)
{
    if (d->restart)
        device_boot(d, d->store);
    uint64_t now = hal_uptime_us();
    uint64_t moved = device_feeds(d) ? now - d->polled_us : 0;
    d->polled_us = now;
    role_poll(d, moved);
    device_settle(d);
    return session_poll(d, now);
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
    if (session_silent(d, hal_uptime_us()))
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
