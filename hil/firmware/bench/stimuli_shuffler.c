/* The words of the bench for a shuffler.
 * Not: what they do (shuffler.h).
 * Source: hil/firmware/README.md. */
#include <string.h>

#include "shuffler.h"
#include "role.h"
#include "stimuli.h"

/* 0: none. */
static uint8_t compartment_of(const char *word)
{
    uint32_t number = number_of(word);
    return (uint8_t)(number >= 1 && number <= COMPARTMENTS ? number : 0);
}

static const char *put(struct device *d, char **words, uint32_t count)
{
    uint8_t compartment = compartment_of(words[1]);
    uint32_t cards = number_of(words[2]);
    if (!compartment || cards > 999)
        return WRONG;
    return shuffler_put(d, compartment, (uint16_t)cards, count > 3 ? words[3] : "");
}

static const char *take(struct device *d, char **words, uint32_t count)
{
    uint8_t compartment = compartment_of(words[1]);
    (void)count;
    return compartment ? shuffler_take(d, compartment) : WRONG;
}

static const char *press(struct device *d, char **words, uint32_t count)
{
    static const struct {
        const char *key;
        uint8_t order;
    } keys[] = {{"load", ORDER_LOAD},   {"count", ORDER_COUNT},     {"shuffle", ORDER_SHUFFLE},
                {"store", ORDER_STORE}, {"release", ORDER_RELEASE}, {"abort", ORDER_ABORT}};
    uint8_t compartment = compartment_of(words[2]);
    (void)count;
    for (size_t i = 0; compartment && i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(keys[i].key, words[1]) == 0)
            return shuffler_press(d, keys[i].order, compartment);
    return WRONG;
}

static const char *slip(struct device *d, char **words, uint32_t count)
{
    uint8_t compartment = compartment_of(words[1]);
    uint32_t cards = number_of(words[2]);
    (void)count;
    if (!compartment || cards > 999)
        return WRONG;
    shuffler_slip(d, compartment, (uint16_t)cards);
    return NULL;
}

static const char *jam(struct device *d, char **words, uint32_t count)
{
    uint8_t compartment = compartment_of(words[1]);
    (void)count;
    if (!compartment)
        return WRONG;
    shuffler_jam(d, compartment, words[0][0] == 'u');
    return NULL;
}

static const char *residual(struct device *d, char **words, uint32_t count)
{
    uint8_t compartment = compartment_of(words[1]);
    uint32_t cards = number_of(words[2]);
    (void)count;
    if (!compartment || cards > 999)
        return WRONG;
    shuffler_residual(d, compartment, (uint16_t)cards);
    return NULL;
}

static const char *pace(struct device *d, char **words, uint32_t count)
{
    uint32_t milliseconds = number_of(words[1]);
    (void)d;
    (void)count;
    if (milliseconds == UINT32_MAX)
        return WRONG;
    shuffler_pace(milliseconds);
    return NULL;
}

const struct stimulus_word role_words[] = {
    {"put", 3, put}, {"take", 2, take},  {"press", 3, press},       {"slip", 3, slip},
    {"jam", 2, jam}, {"unjam", 2, jam}, {"residual", 3, residual}, {"pace", 2, pace},
};
const uint32_t role_word_count = sizeof role_words / sizeof role_words[0];
