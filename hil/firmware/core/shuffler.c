/* A shuffler's two compartments: their states, shuffles, what breaks one off.
 * Not: the bench's mechanism being any maker's; counts come from sensors.
 * Source: firmware_bridge/tablelink/README.md, "Events", "Requests". */
#include "shuffler.h"

#include <string.h>

#include "device.h"
#include "events.h"
#include "hal.h"
#include "ring.h"
#include "role.h"

#define PACE_US_USUAL 2000000u

static uint64_t pace_us = PACE_US_USUAL;

static struct compartment *at(struct device *d, uint8_t compartment)
{
    return &d->head.compartments[compartment - 1];
}

static void enter(struct device *d, uint8_t compartment, enum holding state)
{
    at(d, compartment)->state = (uint8_t)state;
    d->changed = true;
    tell_compartment(d, compartment);
}

static void break_off(struct device *d, uint8_t compartment, uint8_t reason)
{
    if (at(d, compartment)->state != SHUFFLING)
        return;
    tell_batch_aborted(d, compartment, reason);
    enter(d, compartment, HELD);
}

/* A batch that was shuffled and then touched is not one any more. */
static void hold(struct device *d, uint8_t compartment)
{
    uint8_t state = at(d, compartment)->state;
    if (state == SHUFFLED || state == STORED)
        enter(d, compartment, HELD);
}

uint32_t role_under_way(const struct device *d)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < COMPARTMENTS; i++)
        if (d->head.compartments[i].state == SHUFFLING)
            bits |= 1u << i;
    return bits;
}

void role_boot(struct device *d, uint32_t under_way)
{
    for (uint8_t i = 0; i < COMPARTMENTS; i++)
        if (under_way & (1u << i))
            break_off(d, (uint8_t)(i + 1), ABORT_POWER);
}

bool role_busy(const struct device *d)
{
    return role_under_way(d) != 0;
}

void role_opened(struct device *d, uint8_t compartment)
{
    for (uint8_t each = 1; each <= COMPARTMENTS; each++)
        if (compartment == 0 || compartment == each) {
            break_off(d, each, ABORT_DOOR);
            hold(d, each);
        }
}

void role_out_of_play(struct device *d)
{
    for (uint8_t each = 1; each <= COMPARTMENTS; each++)
        hold(d, each);
}

static void finish(struct device *d, uint8_t compartment)
{
    struct compartment *c = at(d, compartment);
    bool same = c->inside == c->cards && strcmp(c->inside_back, c->back) == 0;
    tell_batch_done(d, compartment, c->inside, same ? RESULT_GOOD : RESULT_COUNT_DIFFERS);
    c->cards = c->inside;
    enter(d, compartment, same ? SHUFFLED : HELD);
}

void role_poll(struct device *d, uint64_t moved_us)
{
    for (uint8_t each = 1; each <= COMPARTMENTS; each++) {
        uint64_t *progress = &d->progress_us[each - 1];
        if (at(d, each)->state != SHUFFLING || moved_us == 0)
            continue;
        *progress += moved_us;
        if (*progress >= pace_us)
            finish(d, each);
    }
}

static const char *bars(struct device *d, uint8_t compartment)
{
    const struct compartment *c = at(d, compartment);
    const char *why = device_bars(d);
    if (why)
        return why;
    if (c->lid_open)
        return "the compartment is open";
    if (c->jammed)
        return "the compartment is jammed";
    if (d->head.compartments[0].residual || d->head.compartments[1].residual)
        return "cards are left where none may be";
    return NULL;
}

static void count(struct device *d, uint8_t compartment)
{
    struct compartment *c = at(d, compartment);
    c->counted = 1;
    c->cards = c->inside;
    memcpy(c->back, c->inside_back, sizeof c->back);
    enter(d, compartment, COUNTED);
}

static void start(struct device *d, uint8_t compartment)
{
    struct compartment *c = at(d, compartment);
    c->cycle = ++d->head.cycle;
    c->began_us = hal_uptime_us();
    d->progress_us[compartment - 1] = 0;
    tell_batch_started(d, compartment);
    enter(d, compartment, SHUFFLING);
}

struct move {
    uint8_t order, from;
    const char *unless;
};

/* A held batch starts again by being counted. */
static const struct move moves[] = {
    {ORDER_LOAD, 1u << EMPTY, "only an empty compartment is loaded"},
    {ORDER_COUNT, 1u << LOADING | 1u << HELD, "only what was loaded or is held is counted"},
    {ORDER_SHUFFLE, 1u << COUNTED, "only a counted batch is shuffled"},
    {ORDER_STORE, 1u << SHUFFLED, "only a shuffled batch is stored"},
    {ORDER_RELEASE, 1u << STORED, "only a stored batch is released"},
};

static const struct move *move_of(uint8_t order)
{
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++)
        if (moves[i].order == order)
            return &moves[i];
    return NULL;
}

static void do_move(struct device *d, uint8_t order, uint8_t compartment)
{
    switch (order) {
    case ORDER_LOAD:
        enter(d, compartment, LOADING);
        break;
    case ORDER_COUNT:
        count(d, compartment);
        break;
    case ORDER_SHUFFLE:
        start(d, compartment);
        break;
    case ORDER_STORE:
        enter(d, compartment, STORED);
        break;
    default:
        enter(d, compartment, RELEASED);
        break;
    }
}

static struct outcome refused(const char *why)
{
    return (struct outcome){REQUEST_REFUSED, why};
}

static struct outcome move(struct device *d, const struct move *wanted, uint64_t argument)
{
    if (argument < 1 || argument > COMPARTMENTS)
        return refused("compartments are 1 and 2");
    uint8_t compartment = (uint8_t)argument;
    const char *why = bars(d, compartment);
    if (why)
        return refused(why);
    if (!(wanted->from & (1u << at(d, compartment)->state)))
        return refused(wanted->unless);
    do_move(d, wanted->order, compartment);
    return (struct outcome){REQUEST_DONE, NULL};
}

static struct outcome abort_shuffle(struct device *d, uint64_t argument)
{
    bool any = false;
    if (argument > COMPARTMENTS)
        return refused("compartments are 1 and 2, 0 is all");
    for (uint8_t each = 1; each <= COMPARTMENTS; each++)
        if ((argument == 0 || argument == each) && at(d, each)->state == SHUFFLING) {
            break_off(d, each, ABORT_PERSON);
            any = true;
        }
    return any ? (struct outcome){REQUEST_DONE, NULL} : refused("no shuffle is under way");
}

struct outcome role_request(struct device *d, uint8_t order, uint64_t argument)
{
    const struct move *wanted = move_of(order);
    if (wanted)
        return move(d, wanted, argument);
    if (order == ORDER_ABORT)
        return abort_shuffle(d, argument);
    return (struct outcome){REQUEST_UNKNOWN, "this device is a shuffler"};
}

uint32_t role_outputs(const struct device *d)
{
    uint32_t under_way = role_under_way(d);
    uint32_t motors = (under_way & 1u ? OUTPUT_MOTOR_1 : 0) | (under_way & 2u ? OUTPUT_MOTOR_2 : 0);
    return device_feeds(d) ? motors | OUTPUT_GATE : 0;
}

const char *shuffler_put(struct device *d, uint8_t compartment, uint16_t cards, const char *back)
{
    struct compartment *c = at(d, compartment);
    if (c->state != LOADING)
        return "the intake is shut";
    c->inside = (uint16_t)(c->inside + cards);
    memset(c->inside_back, 0, sizeof c->inside_back);
    strncpy(c->inside_back, back, sizeof c->inside_back - 1);
    d->changed = true;
    device_settle(d);
    return NULL;
}

const char *shuffler_take(struct device *d, uint8_t compartment)
{
    struct compartment *c = at(d, compartment);
    if (c->state == SHUFFLING || c->state == SHUFFLED || c->state == STORED)
        return "the compartment is locked";
    c->inside = 0;
    memset(c->inside_back, 0, sizeof c->inside_back);
    c->counted = 0;
    enter(d, compartment, EMPTY);
    device_settle(d);
    return NULL;
}

const char *shuffler_press(struct device *d, uint8_t order, uint8_t compartment)
{
    struct outcome outcome = role_request(d, order, compartment);
    device_settle(d);
    return outcome.why;
}

void shuffler_slip(struct device *d, uint8_t compartment, uint16_t cards)
{
    struct compartment *c = at(d, compartment);
    c->inside = (uint16_t)(cards > c->inside ? 0 : c->inside - cards);
    d->changed = true;
    device_settle(d);
}

void shuffler_jam(struct device *d, uint8_t compartment, bool cleared)
{
    at(d, compartment)->jammed = !cleared;
    d->changed = true;
    tell_jam(d, compartment, cleared);
    if (!cleared)
        break_off(d, compartment, ABORT_JAM);
    device_settle(d);
}

void shuffler_residual(struct device *d, uint8_t compartment, uint16_t cards)
{
    at(d, compartment)->residual = cards;
    d->changed = true;
    tell_residual(d, cards, compartment);
    device_settle(d);
}

void shuffler_pace(uint32_t milliseconds)
{
    pace_us = (uint64_t)milliseconds * 1000u;
}
