/* The device as one value, and its four ways in: power, bytes, time, a sensor.
 * Not: what a role does (role.h) and the board (hal.h).
 * Source: firmware_bridge/tablelink/README.md. */
#ifndef DEVICE_H
#define DEVICE_H

#include "frame.h"
#include "session.h"
#include "settings.h"
#include "store.h"

enum mode { MODE_PLAY, MODE_SERVICE, MODE_SORT, MODE_TEST, MODES };

/* Since this boot, for people; nothing is decided by them. */
struct counters {
    uint32_t frames, refused, resent, lost, damaged;
    uint32_t bad[FRAME_FAULTS];
};

/* `head` is the working copy: what counts is what was committed. */
struct device {
    struct store *store;
    struct head head;
    bool changed;
    bool restart;
    uint32_t boot_id;
    uint64_t polled_us;
    uint64_t progress_us[COMPARTMENTS];
    struct session session;
    struct assembler assembler;
    struct counters counters;
    struct record draft;
    struct answer answer;
    uint8_t wire[FRAME_WIRE_MAX];
};

/* Power came. */
void device_boot(struct device *d, struct store *store);

/* A byte of the host. */
void device_receive(struct device *d, uint8_t byte);

/* Time went by. True: there is more to do at once. */
bool device_poll(struct device *d);

/* After anything a sensor or a person did: stores it, then lets the outputs follow. */
void device_settle(struct device *d);

/* May a card move? The host is in contact, the ring has room, all is shut and nothing is wrong. */
bool device_feeds(const struct device *d);

/* What stands in the way of moving cards; NULL: nothing. */
const char *device_bars(const struct device *d);

/* What is the same in every role. */
void device_lid(struct device *d, uint8_t compartment, bool open);
void device_warn(struct device *d, uint16_t code, const char *text, bool active);
void device_self_test(struct device *d);
void device_mode(struct device *d, uint8_t mode);

#endif
