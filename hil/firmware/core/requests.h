/* Requests of the host, each done once however often it comes.
 * Not: what a request does (role.h).
 * Source: firmware_bridge/tablelink/README.md, "Requests". */
#ifndef REQUESTS_H
#define REQUESTS_H

#include "state.h"

/* False: the message makes no sense. */
bool requests_take(struct device *d, const struct frame *frame);

#endif
