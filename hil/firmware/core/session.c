/* The session with the host: opening, events in flight, heartbeat, time, identity.
 * Not: what is reported (events.c) and requested (requests.c).
 * Source: firmware_bridge/tablelink/README.md. */
#include "session.h"

#include "cbor.h"
#include "device.h"
#include "hal.h"
#include "requests.h"
#include "ring.h"

#define NONCE_BYTES 32u

enum link_type {
    LINK_HELLO = 1,
    LINK_HELLO_ACK = 2,
    LINK_ACK = 3,
    LINK_NAK = 4,
    LINK_PING = 5,
    LINK_PONG = 6,
    LINK_TIME_REQ = 7,
    LINK_TIME_RSP = 8,
    LINK_ATTEST_REQ = 10,
    LINK_ATTEST_RSP = 11,
    LINK_BYE = 12
};

static void send_link(struct device *d, uint8_t type, const struct writer *w)
{
    if (!w->full)
        device_send(d, (struct frame){.type = type, .payload = w->bytes, .length = w->length});
}

static void say_hello(struct device *d)
{
    uint8_t payload[112];
    struct writer w = writer_on(payload, sizeof payload);
    write_map(&w, 11);
    write_uint(&w, 1);
    write_bytes(&w, (const uint8_t *)DEVICE_ID, sizeof(DEVICE_ID) - 1);
    write_uint(&w, 2);
    write_uint(&w, d->boot_id);
    write_uint(&w, 3);
    write_uint(&w, d->head.first);
    write_uint(&w, 4);
    write_uint(&w, d->head.next);
    write_uint(&w, 5);
    write_uint(&w, RING_PLACES);
    write_uint(&w, 6);
    write_text(&w, VERSION);
    write_uint(&w, 7);
    write_uint(&w, d->session.id);
    write_uint(&w, 8);
    write_uint(&w, d->head.request_top);
    write_uint(&w, 9);
    write_uint(&w, ROLE);
    write_uint(&w, 10);
    write_uint(&w, d->head.boot_count);
    write_uint(&w, 11);
    write_bool(&w, hal_debug_open() != 0);
    send_link(d, LINK_HELLO, &w);
    d->session.hello_us = hal_uptime_us();
}

void session_boot(struct device *d)
{
    d->session = (struct session){0};
    say_hello(d);
}

static bool find_u32(const struct frame *frame, uint64_t key, uint32_t *value)
{
    uint64_t found;
    if (!cbor_find_uint(frame->payload, frame->length, key, &found) || found > UINT32_MAX)
        return false;
    *value = (uint32_t)found;
    return true;
}

static bool take_hello(struct device *d, const struct frame *frame)
{
    uint32_t id;
    if (!find_u32(frame, 1, &id) || id == 0)
        return false;
    d->session.greeted = true;
    /* The same number again is the same question again, not a new host. */
    if (id != d->session.id) {
        d->session.id = id;
        d->session.open = false;
    }
    say_hello(d);
    return true;
}

static void host_stored(struct device *d, uint64_t number)
{
    struct session *s = &d->session;
    if (number < d->head.first)
        return;
    ring_free(d, number);
    if (s->to_send < d->head.first)
        s->to_send = d->head.first;
    if (s->top < d->head.first)
        s->top = d->head.first;
    s->resend_us = RESEND_US;
    s->resend_at_us = hal_uptime_us() + RESEND_US;
}

static bool take_hello_ack(struct device *d, const struct frame *frame)
{
    struct session *s = &d->session;
    uint32_t id;
    uint64_t stored;
    if (!find_u32(frame, 1, &id) || !cbor_find_uint(frame->payload, frame->length, 2, &stored))
        return false;
    if (id == 0 || id != s->id || stored >= d->head.next)
        return false;
    host_stored(d, stored);
    if (!s->open) {
        s->open = true;
        s->to_send = s->top = d->head.first;
        s->resend_us = RESEND_US;
    }
    return true;
}

static bool take_nak(struct device *d, const struct frame *frame)
{
    uint64_t wanted;
    if (!cbor_find_uint(frame->payload, frame->length, 1, &wanted))
        return false;
    if (d->session.open && wanted >= d->head.first && wanted < d->session.top)
        d->session.to_send = wanted;
    return true;
}

/* PING is answered with what it said. */
static bool take_ping(struct device *d, const struct frame *frame)
{
    uint8_t payload[16];
    struct writer w = writer_on(payload, sizeof payload);
    uint64_t said;
    if (!cbor_find_uint(frame->payload, frame->length, 1, &said))
        return false;
    write_map(&w, 1);
    write_uint(&w, 1);
    write_uint(&w, said);
    send_link(d, LINK_PONG, &w);
    return true;
}

static bool take_time(struct device *d, const struct frame *frame, uint64_t came_us)
{
    uint8_t payload[40];
    struct writer w = writer_on(payload, sizeof payload);
    uint64_t asked;
    if (!cbor_find_uint(frame->payload, frame->length, 1, &asked))
        return false;
    write_map(&w, 3);
    write_uint(&w, 1);
    write_uint(&w, asked);
    write_uint(&w, 2);
    write_uint(&w, came_us);
    write_uint(&w, 3);
    write_uint(&w, hal_uptime_us());
    send_link(d, LINK_TIME_RSP, &w);
    return true;
}

/* A bare device has no key, and says so. */
static bool take_attest(struct device *d, const struct frame *frame)
{
    uint8_t payload[4];
    struct writer w = writer_on(payload, sizeof payload);
    const uint8_t *nonce;
    size_t length;
    if (!cbor_find_bytes(frame->payload, frame->length, 1, &nonce, &length) ||
        length != NONCE_BYTES)
        return false;
    write_map(&w, 1);
    write_uint(&w, 2);
    write_bool(&w, true);
    send_link(d, LINK_ATTEST_RSP, &w);
    return true;
}

static bool take_bye(struct device *d)
{
    d->session.id = 0;
    d->session.open = false;
    d->session.heard = false;
    return true;
}

static bool take_link(struct device *d, const struct frame *frame, uint64_t came_us)
{
    switch (frame->type) {
    case LINK_HELLO:
        return take_hello(d, frame);
    case LINK_HELLO_ACK:
        return take_hello_ack(d, frame);
    case LINK_ACK:
    case LINK_PONG:
        return true;
    case LINK_NAK:
        return take_nak(d, frame);
    case LINK_PING:
        return take_ping(d, frame);
    case LINK_TIME_REQ:
        return take_time(d, frame, came_us);
    case LINK_ATTEST_REQ:
        return take_attest(d, frame);
    case LINK_BYE:
        return take_bye(d);
    default:
        return false;
    }
}

/* Any frame may carry an acknowledgement. What this session did not send cannot be stored. */
static void take_ack(struct device *d, const struct frame *frame)
{
    if (!(frame->flags & FLAG_ACKV) || !d->session.open)
        return;
    uint64_t before = d->head.first - 1;
    uint32_t further = frame->ack - (uint32_t)before;
    if (further >= 1 && further <= d->session.top - d->head.first)
        host_stored(d, before + further);
}

static bool take(struct device *d, const struct frame *frame, uint64_t came_us)
{
    if (!cbor_well_made(frame->payload, frame->length))
        return false;
    d->session.heard = true;
    d->session.heard_us = came_us;
    if (frame->channel == CHANNEL_LINK)
        return take_link(d, frame, came_us);
    return frame->channel == CHANNEL_RPC && requests_take(d, frame);
}

void session_receive(struct device *d, const struct frame *frame, uint64_t came_us)
{
    if (take(d, frame, came_us))
        take_ack(d, frame);
    else
        d->counters.refused++;
}

static void send_event(struct device *d, uint64_t now_us)
{
    struct session *s = &d->session;
    const struct record *record = ring_at(d, s->to_send);
    if (!record) {
        /* It cannot be reported any more; a new start declares the gap. */
        d->restart = true;
        return;
    }
    bool again = s->to_send < s->top;
    if (s->to_send == d->head.first && !again)
        s->resend_at_us = now_us + s->resend_us;
    s->to_send++;
    if (s->top < s->to_send)
        s->top = s->to_send;
    d->counters.resent += again ? 1u : 0u;
    device_send(d, (struct frame){.flags = again ? FLAG_RETX : 0,
                                   .channel = CHANNEL_EVENT,
                                   .type = record->kind,
                                   .seq = (uint32_t)record->number,
                                   .payload = record->payload,
                                   .length = record->length});
}

static bool event_due(const struct device *d)
{
    const struct session *s = &d->session;
    return s->open && s->to_send < d->head.next && s->to_send < d->head.first + EVENT_WINDOW;
}

static void go_back(struct device *d, uint64_t now_us)
{
    struct session *s = &d->session;
    if (!s->open || s->top == d->head.first || now_us < s->resend_at_us)
        return;
    s->to_send = d->head.first;
    s->resend_us = s->resend_us * 2 > RESEND_US_MAX ? RESEND_US_MAX : s->resend_us * 2;
    s->resend_at_us = now_us + s->resend_us;
}

static void ping(struct device *d, uint64_t now_us)
{
    uint8_t payload[24];
    struct writer w = writer_on(payload, sizeof payload);
    write_map(&w, 3);
    write_uint(&w, 1);
    write_uint(&w, now_us);
    write_uint(&w, 2);
    write_uint(&w, ring_kept(d));
    write_uint(&w, 3);
    write_bool(&w, ring_gate_closed(d));
    send_link(d, LINK_PING, &w);
}

bool session_poll(struct device *d, uint64_t now_us)
{
    struct session *s = &d->session;
    go_back(d, now_us);
    if (event_due(d))
        send_event(d, now_us);
    else if (!s->greeted && now_us - s->hello_us >= HELLO_US)
        say_hello(d);
    else if (s->id && now_us - s->said_us >= PING_US)
        ping(d, now_us);
    return event_due(d);
}
