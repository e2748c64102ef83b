/* The session with the host: opening, events in flight, heartbeat, time, identity.
 * Not: what is reported (events.h) and requested (requests.h).
 * Source: firmware_bridge/tablelink/README.md. */
#ifndef SESSION_H
#define SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

struct device;

#define EVENT_WINDOW 8u
#define RESEND_US 50000u
#define RESEND_US_MAX 1600000u
#define PING_US 1000000u
#define HELLO_US 1000000u
#define SILENT_US 4000000u

/* `id` 0: no host is there; `greeted`: one said HELLO since this boot. Events go from `to_send` on; `top` was not sent yet. */
struct session {
    uint32_t id;
    bool open;
    bool heard;
    bool greeted;
    uint64_t to_send, top;
    uint64_t resend_at_us;
    uint32_t resend_us;
    uint64_t heard_us, said_us, hello_us;
    uint32_t ctr;
};

/* Says who booted, to whomever listens. */
void session_boot(struct device *d);

void session_receive(struct device *d, const struct frame *frame, uint64_t came_us);

/* Sends at most one frame. True: there is another one. */
bool session_poll(struct device *d, uint64_t now_us);

/* Nothing was received from the host for 4 s, or ever. */
bool session_silent(const struct device *d, uint64_t now_us);

/* Fills in what every frame carries, and sends it. */
void session_send(struct device *d, struct frame frame);

#endif
