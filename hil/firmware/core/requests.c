/* Requests of the host, each done once however often it comes.
 * Not: what a request does (shuffler.c, shoe.c).
 * Source: firmware_bridge/tablelink/README.md, "Requests". */
#include "requests.h"

#include <string.h>

#include "cbor.h"
#include "device.h"
#include "hal.h"
#include "ring.h"
#include "role.h"

static uint32_t answer_crc(const struct answer *answer)
{
    return crc32c((const uint8_t *)answer, offsetof(struct answer, payload) + answer->length);
}

static void send_answer(struct device *d, uint32_t id, uint8_t type, const uint8_t *payload,
                        size_t length)
{
    device_send(d, (struct frame){.channel = CHANNEL_RPC,
                                   .type = type,
                                   .seq = id,
                                   .payload = payload,
                                   .length = length});
}

/* The last 16; the place beyond them is being overwritten. */
static const struct answer *known_answer(const struct device *d, uint32_t id)
{
    uint32_t kept = d->head.answered < ANSWERS_KEPT ? d->head.answered : ANSWERS_KEPT;
    for (uint32_t back = 1; back <= kept; back++) {
        const struct answer *answer = &d->store->answers[(d->head.answered - back) % ANSWER_PLACES];
        if (answer->id == id && answer->length <= ANSWER_BYTES && answer->crc == answer_crc(answer))
            return answer;
    }
    return NULL;
}

static void write_compartment(struct writer *w, const struct device *d, uint32_t index)
{
    const struct compartment *c = &d->head.compartments[index];
    write_array(w, 5);
    write_uint(w, index + 1);
    write_uint(w, c->state);
    if (c->counted)
        write_uint(w, c->cards);
    else
        write_null(w);
    write_text(w, c->counted ? c->back : "");
    write_uint(w, c->cycle);
}

static bool any_lid_open(const struct device *d)
{
    bool open = d->head.lid_open;
    for (uint32_t i = 0; i < COMPARTMENTS; i++)
        open = open || d->head.compartments[i].lid_open;
    return open;
}

static void write_status(struct writer *w, const struct device *d)
{
    uint32_t residual = 0, compartments = ROLE_COMPARTMENTS;
    for (uint32_t i = 0; i < COMPARTMENTS; i++)
        residual += d->head.compartments[i].residual;
    write_map(w, 7);
    write_uint(w, 1);
    write_uint(w, d->head.mode);
    write_uint(w, 2);
    write_bool(w, any_lid_open(d));
    write_uint(w, 3);
    write_array(w, compartments);
    for (uint32_t i = 0; i < compartments; i++)
        write_compartment(w, d, i);
    write_uint(w, 4);
    write_uint(w, residual);
    write_uint(w, 5);
    write_array(w, d->head.warning_count);
    for (uint32_t i = 0; i < d->head.warning_count; i++)
        write_uint(w, d->head.warnings[i]);
    write_uint(w, 6);
    write_bool(w, ring_gate_closed(d));
    write_uint(w, 7);
    write_uint(w, d->head.next - 1);
}

static struct outcome execute(struct device *d, uint8_t type, uint64_t argument)
{
    switch (type) {
    case ORDER_STATUS:
        return (struct outcome){REQUEST_DONE, NULL};
    case ORDER_SELF_TEST:
        if (role_busy(d))
            return (struct outcome){REQUEST_REFUSED, "a shuffle is under way"};
        device_self_test(d);
        return (struct outcome){REQUEST_DONE, NULL};
    case ORDER_MODE:
        if (argument >= MODES)
            return (struct outcome){REQUEST_REFUSED, "modes are 0 to 3"};
        if (role_busy(d))
            return (struct outcome){REQUEST_REFUSED, "a shuffle is under way"};
        device_mode(d, (uint8_t)argument);
        return (struct outcome){REQUEST_DONE, NULL};
    default:
        return role_request(d, type, argument);
    }
}

static struct writer write_answer(struct device *d, uint8_t type, struct outcome outcome)
{
    struct writer w = writer_on(d->answer.payload, sizeof d->answer.payload);
    bool with_status = type == ORDER_STATUS;
    write_map(&w, 1u + (outcome.why ? 1u : 0u) + (with_status ? 1u : 0u));
    write_uint(&w, 1);
    write_uint(&w, outcome.status);
    if (outcome.why) {
        write_uint(&w, 2);
        write_text(&w, outcome.why);
    }
    if (with_status) {
        write_uint(&w, 3);
        write_status(&w, d);
    }
    return w;
}

/* Answer and new state count with one write of the head; motors follow the stored state only. */
static void remember(struct device *d, uint32_t id, uint8_t type, size_t length)
{
    struct answer *place = &d->store->answers[d->head.answered % ANSWER_PLACES];
    d->answer.id = id;
    d->answer.type = type;
    d->answer.length = (uint8_t)length;
    d->answer.crc = answer_crc(&d->answer);
    hal_store(place, &d->answer, offsetof(struct answer, payload) + length);
    hal_store(&place->crc, &d->answer.crc, sizeof place->crc);
    d->head.answered++;
    d->head.request_top = id;
    d->changed = true;
    device_settle(d);
}

/* Not remembered: whatever it once was, it is not done now. */
static void refuse_old(struct device *d, const struct frame *frame)
{
    uint8_t payload[40];
    struct writer w = writer_on(payload, sizeof payload);
    write_map(&w, 2);
    write_uint(&w, 1);
    write_uint(&w, REQUEST_REFUSED);
    write_uint(&w, 2);
    write_text(&w, "this id was passed long ago");
    send_answer(d, frame->seq, frame->type, w.bytes, w.length);
}

bool requests_take(struct device *d, const struct frame *frame)
{
    uint64_t argument = 0;
    if (cbor_has(frame->payload, frame->length, 1) &&
        !cbor_find_uint(frame->payload, frame->length, 1, &argument))
        return false;
    const struct answer *known = known_answer(d, frame->seq);
    if (known) {
        send_answer(d, known->id, known->type, known->payload, known->length);
        return true;
    }
    if (frame->seq <= d->head.request_top) {
        refuse_old(d, frame);
        return true;
    }
    struct writer w = write_answer(d, frame->type, execute(d, frame->type, argument));
    remember(d, frame->seq, frame->type, w.length);
    send_answer(d, frame->seq, frame->type, d->answer.payload, w.length);
    return true;
}
