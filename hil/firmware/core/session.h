/* The session with the host: opening, events in flight, heartbeat, time, identity.
 * Not: what is reported (events.h) and requested (requests.h).
 * Source: firmware_bridge/tablelink/README.md. */
#ifndef SESSION_H
#define SESSION_H

#include "state.h"

#define EVENT_WINDOW 8u
#define RESEND_US 50000u
#define RESEND_US_MAX 1600000u
#define PING_US 1000000u
#define HELLO_US 1000000u

/* Says who booted, to whomever listens. */
void session_boot(struct device *d);

void session_receive(struct device *d, const struct frame *frame, uint64_t came_us);

/* Sends at most one frame. True: there is another one. */
bool session_poll(struct device *d, uint64_t now_us);

#endif
