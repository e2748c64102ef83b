/* The firmware's three ways in: power, bytes of the host, time.
 * Not: the board's main loop, which calls them (lm3s6965/, host/).
 * Source: firmware_bridge/README.md, "TableLink/1". */
#include "firmware.h"

#include <string.h>

#include "device.h"
#include "events.h"
#include "hal.h"
#include "ring.h"
#include "role.h"
#include "session.h"
#include "store.h"

/* The CRC of equally long inputs that differ in their last four bytes only always differs: no two
 * boots of a device have one id. */
static uint32_t boot_id_of(uint32_t boot_count)
{
    uint8_t seed[sizeof(DEVICE_ID) + sizeof boot_count] = DEVICE_ID;
    memcpy(seed + sizeof(DEVICE_ID), &boot_count, sizeof boot_count);
    return crc32c(seed, sizeof seed);
}

void firmware_boot(struct device *d, struct store *store)
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

void firmware_receive(struct device *d, uint8_t byte)
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

bool firmware_poll(struct device *d)
{
    if (d->restart)
        firmware_boot(d, d->store);
    uint64_t now = hal_uptime_us();
    uint64_t moved = device_feeds(d) ? now - d->polled_us : 0;
    d->polled_us = now;
    role_poll(d, moved);
    device_settle(d);
    return session_poll(d, now);
}
