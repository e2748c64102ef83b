/* One device and a host of the document's making in one process, under a clock that
 * moves on request; what may never happen aborts.
 * Not: choosing what happens (powercut.c, fuzz/).
 * Source: firmware_bridge/tablelink/README.md; hil/firmware/README.md. */
#include "life.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cbor.h"
#include "events.h"
#include "firmware.h"
#include "hal.h"
#include "ring.h"
#include "role.h"
#include "shuffler.h"
#include "stimuli.h"

#define REMEMBERED 4096u
#define WAITING_BYTES 16384u

#define MUST(what)                                                                                 \
    do {                                                                                           \
        if (!(what)) {                                                                             \
            fprintf(stderr, "%s:%d: it must hold that %s\n", __FILE__, __LINE__, #what);           \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

const uint8_t hal_image[32] = {0};

/* What the host stored; it forgets nothing and its store never fails. */
struct host {
    uint32_t session, id, ctr;
    uint8_t order;
    uint32_t argument;
    bool answered;
    uint32_t answers[ANSWERS_KEPT];
    uint64_t stored;
    uint32_t digests[REMEMBERED];
    uint32_t began, done;
    uint8_t waiting[WAITING_BYTES];
    size_t waiting_length;
};

static struct {
    struct store store;
    struct device device;
    struct assembler from_device;
    struct host host;
    uint64_t now_us, written, cut_at;
    uint32_t lose;
    bool foreign; /* bytes came that are not the host's: events of other causes may be reported */
    bool blind;   /* events were lost in a full ring, or keys were pressed on the panel */
    jmp_buf power;
} life;

uint64_t hal_uptime_us(void)
{
    return life.now_us;
}

void hal_outputs(uint32_t wanted)
{
    (void)wanted;
}

int hal_debug_open(void)
{
    return 0;
}

void hal_store(void *place, const void *bytes, size_t length)
{
    uint64_t left = life.cut_at - life.written;
    bool cut = life.cut_at && left < length;
    memcpy(place, bytes, cut ? (size_t)left : length);
    life.written += cut ? left : length;
    if (cut) {
        life.cut_at = 0;
        longjmp(life.power, 1);
    }
}

static bool lost(void)
{
    if (life.lose == 0)
        return false;
    life.lose--;
    return true;
}

/* Written after the device is done with what it does now. */
static void host_sends(struct frame frame)
{
    uint8_t wire[FRAME_WIRE_MAX];
    struct host *host = &life.host;
    frame.ctr = host->ctr++;
    size_t length = frame_encode(&frame, wire);
    if (lost() || host->waiting_length + length > WAITING_BYTES)
        return;
    memcpy(host->waiting + host->waiting_length, wire, length);
    host->waiting_length += length;
}

static void host_says(uint8_t type, uint64_t first, uint64_t second, uint64_t entries)
{
    uint8_t payload[24];
    struct writer w = writer_on(payload, sizeof payload);
    write_map(&w, entries);
    write_uint(&w, 1);
    write_uint(&w, first);
    if (entries > 1) {
        write_uint(&w, 2);
        write_uint(&w, second);
    }
    host_sends((struct frame){.type = type, .payload = payload, .length = w.length});
}

static void host_asks(uint32_t id)
{
    uint8_t payload[8];
    struct host *host = &life.host;
    struct writer w = writer_on(payload, sizeof payload);
    write_map(&w, 1);
    write_uint(&w, 1);
    write_uint(&w, host->argument);
    host_sends((struct frame){.channel = CHANNEL_RPC,
                              .type = host->order,
                              .seq = id,
                              .payload = payload,
                              .length = w.length});
}

static void hear_hello(const struct frame *frame)
{
    struct host *host = &life.host;
    uint64_t session, first, next;
    MUST(cbor_find_uint(frame->payload, frame->length, 7, &session));
    MUST(cbor_find_uint(frame->payload, frame->length, 3, &first));
    MUST(cbor_find_uint(frame->payload, frame->length, 4, &next));
    /* Nothing is missing for ever, nothing was rolled back. */
    MUST(life.foreign || (first <= host->stored + 1 && host->stored < next));
    if (session == 0) {
        host->session++;
        host_says(1, host->session, 0, 1);
    } else if (session == host->session) {
        host_says(2, host->session, host->stored, 2);
    }
}

static void hear_body(const struct frame *frame, uint8_t kind)
{
    struct host *host = &life.host;
    uint64_t found;
    MUST(cbor_find_uint(frame->payload, frame->length, 4, &found) && found == kind);
    MUST(cbor_has(frame->payload, frame->length, 5));
    if (kind == EVENT_BATCH_STARTED)
        host->began++;
    if (kind == EVENT_OVERFLOW)
        life.blind = true;
}

static void hear_event(const struct frame *frame)
{
    struct host *host = &life.host;
    uint64_t number;
    uint32_t digest = crc32c(frame->payload, frame->length);
    MUST(cbor_find_uint(frame->payload, frame->length, 2, &number));
    MUST((uint32_t)number == frame->seq);
    if (number <= host->stored) {
        MUST(host->stored - number >= REMEMBERED || host->digests[number % REMEMBERED] == digest);
    } else if (number == host->stored + 1) {
        host->stored = number;
        host->digests[number % REMEMBERED] = digest;
        hear_body(frame, frame->type);
    } else {
        host_says(4, host->stored + 1, 0, 1);
        return;
    }
    host_sends((struct frame){.flags = FLAG_ACKV, .type = 3, .ack = (uint32_t)host->stored});
}

static void hear_answer(const struct frame *frame)
{
    struct host *host = &life.host;
    uint64_t status;
    uint32_t digest = crc32c(frame->payload, frame->length);
    MUST(cbor_find_uint(frame->payload, frame->length, 1, &status));
    if (life.foreign || frame->seq > host->id || host->id - frame->seq >= ANSWERS_KEPT)
        return;
    if (host->answered || frame->seq != host->id) {
        MUST(digest == host->answers[frame->seq % ANSWERS_KEPT]); /* one id, one answer */
        return;
    }
    host->answered = true;
    host->answers[frame->seq % ANSWERS_KEPT] = digest;
    if (frame->type == ORDER_SHUFFLE && status == REQUEST_DONE)
        host->done++;
}

void hal_send(const uint8_t *bytes, size_t length)
{
    struct frame frame;
    size_t whole;
    MUST(length > 0 && length <= FRAME_WIRE_MAX);
    if (lost())
        return;
    for (size_t i = 0; i < length; i++) {
        if (!frame_gather(&life.from_device, bytes[i], &whole))
            continue;
        MUST(frame_decode(life.from_device.bytes, whole, &frame) == FRAME_GOOD);
        MUST(cbor_well_made(frame.payload, frame.length));
        if (frame.channel == CHANNEL_EVENT)
            hear_event(&frame);
        else if (frame.channel == CHANNEL_RPC)
            hear_answer(&frame);
        else if (frame.type == 1)
            hear_hello(&frame);
    }
}

static void deliver(void)
{
    static uint8_t bytes[WAITING_BYTES];
    size_t length = life.host.waiting_length;
    memcpy(bytes, life.host.waiting, length);
    life.host.waiting_length = 0;
    for (size_t i = 0; i < length; i++)
        firmware_receive(&life.device, bytes[i]);
}

static void settle(void)
{
    do
        deliver();
    while (firmware_poll(&life.device) || life.host.waiting_length);
}

/* Also where power fails again while the device boots. */
static void boot(void)
{
    (void)setjmp(life.power);
    life.host.waiting_length = 0;
    memset(&life.from_device, 0, sizeof life.from_device);
    firmware_boot(&life.device, &life.store);
}

static void act(void (*what)(const void *), const void *with)
{
    if (setjmp(life.power)) {
        boot();
        return;
    }
    what(with);
    settle();
}

void life_begin(void)
{
    memset(&life, 0, sizeof life);
    life.host.session = 1;
    life.host.answered = true;
    boot();
    life_hello();
}

void life_cut_after(size_t bytes)
{
    life.cut_at = life.written + bytes;
}

static void ticking(const void *with)
{
    for (uint32_t left = *(const uint32_t *)with; left; left--) {
        life.now_us += 1000;
        settle();
    }
}

void life_tick(uint32_t milliseconds)
{
    act(ticking, &milliseconds);
}

static void stimulating(const void *with)
{
    char line[LINE_MAX] = "";
    strncat(line, with, sizeof line - 1);
    life.blind = life.blind || strstr(line, "press") != NULL;
    (void)stimulus(&life.device, line);
}

void life_stimulus(const char *line)
{
    act(stimulating, line);
}

struct run {
    const uint8_t *bytes;
    size_t length;
};

static void receiving(const void *with)
{
    const struct run *run = with;
    for (size_t i = 0; i < run->length; i++)
        firmware_receive(&life.device, run->bytes[i]);
}

void life_bytes(const uint8_t *bytes, size_t length)
{
    struct run run = {bytes, length};
    life.foreign = true;
    act(receiving, &run);
}

static void nothing(const void *with)
{
    (void)with;
}

void life_power_cycle(void)
{
    boot();
    act(nothing, NULL);
}

void life_hello(void)
{
    host_says(1, ++life.host.session, 0, 1);
    act(nothing, NULL);
}

void life_ask(uint8_t order, uint32_t argument)
{
    struct host *host = &life.host;
    if (!host->answered) {
        life_ask_again();
        return;
    }
    host->id++;
    host->answered = false;
    host->order = order;
    host->argument = argument;
    life_ask_again();
}

void life_ask_again(void)
{
    if (life.host.id)
        host_asks(life.host.id);
    act(nothing, NULL);
}

void life_step(uint8_t compartment)
{
    static const uint8_t next[] = {
        [EMPTY] = ORDER_LOAD,      [LOADING] = ORDER_COUNT,   [COUNTED] = ORDER_SHUFFLE,
        [SHUFFLING] = ORDER_ABORT, [SHUFFLED] = ORDER_STORE,  [STORED] = ORDER_RELEASE,
        [RELEASED] = ORDER_STATUS, [HELD] = ORDER_COUNT,
    };
    life_ask(next[life.device.head.compartments[compartment - 1].state], compartment);
}

/* Whatever id of the last sixteen is asked again, it is answered as it was. */
static void ask_all_again(void)
{
    uint32_t top = life.host.id;
    for (uint32_t id = top > ANSWERS_KEPT ? top - ANSWERS_KEPT + 1 : 1; id <= top; id++) {
        host_asks(id);
        act(nothing, NULL);
    }
}

void life_lose(uint32_t frames)
{
    life.lose = frames;
}

void life_end(void)
{
    life.cut_at = 0;
    life.lose = 0;
    life_hello();
    life_ask_again();
    MUST(life.host.answered);
    ask_all_again();
    for (int i = 0; i < 100 && ring_kept(&life.device); i++)
        life_tick(50);
    MUST(ring_kept(&life.device) == 0);
    MUST(life.host.stored + 1 == life.device.head.next);
    /* Each shuffle that was answered as begun began, once. */
    MUST(life.blind || life.host.began == life.host.done);
}

size_t life_stored(void)
{
    return (size_t)life.written;
}
