/* Requests of the host, each done once however often it comes.
 * Not: what a request does (role.h).
 * Source: firmware_bridge/tablelink/README.md, "Requests". */
#ifndef REQUESTS_H
#define REQUESTS_H

#include "device.h"

enum order {
    ORDER_LOAD = 1,
    ORDER_COUNT = 2,
    ORDER_SHUFFLE = 3,
    ORDER_STORE = 4,
    ORDER_RELEASE = 5,
    ORDER_STATUS = 6,
    ORDER_SELF_TEST = 7,
    ORDER_ABORT = 8,
    ORDER_MODE = 9,
    ORDER_LOCK = 16,
    ORDER_UNLOCK = 17
};

enum request_status { REQUEST_DONE, REQUEST_REFUSED, REQUEST_UNKNOWN, REQUEST_FAILED };

/* `why` NULL: done. */
struct outcome {
    enum request_status status;
    const char *why;
};

/* False: the message makes no sense. */
bool requests_take(struct device *d, const struct frame *frame);

#endif
