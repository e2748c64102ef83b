/* A line of text from the bench, done to the device, and the line that answers.
 * Not: real sensors; a maker leaves this folder out.
 * Source: hil/firmware/README.md. */
#include "stimuli.h"

#include <string.h>

#include "device.h"
#include "events.h"
#include "role.h"

#define WORDS_MAX 4u

const char WRONG[] = "unknown";

static char answer[LINE_MAX];

static void add(const char *text)
{
    strncat(answer, text, sizeof answer - 1 - strlen(answer));
}

static void add_number(const char *name, uint32_t value)
{
    char digits[11] = {0};
    size_t at = sizeof digits - 1;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    add(name);
    add(&digits[at]);
}

uint32_t number_of(const char *word)
{
    uint32_t value = 0;
    size_t length = strlen(word);
    if (length == 0 || length > 9)
        return UINT32_MAX;
    for (size_t i = 0; i < length; i++) {
        if (word[i] < '0' || word[i] > '9')
            return UINT32_MAX;
        value = value * 10 + (uint32_t)(word[i] - '0');
    }
    return value;
}

static const char *door(struct device *d, char **words, uint32_t count)
{
    uint32_t which = count > 2 ? number_of(words[2]) : 0;
    bool open = strcmp(words[1], "open") == 0;
    if (which > ROLE_COMPARTMENTS || (!open && strcmp(words[1], "close") != 0))
        return WRONG;
    device_lid(d, (uint8_t)which, open);
    return NULL;
}

static const char *warn(struct device *d, char **words, uint32_t count)
{
    uint32_t code = number_of(words[1]);
    if (code > UINT16_MAX)
        return WRONG;
    device_warn(d, (uint16_t)code, count > 2 ? words[2] : "", true);
    return NULL;
}

static const char *unwarn(struct device *d, char **words, uint32_t count)
{
    uint32_t code = number_of(words[1]);
    (void)count;
    if (code > UINT16_MAX)
        return WRONG;
    device_warn(d, (uint16_t)code, "", false);
    return NULL;
}

static const char *tamper(struct device *d, char **words, uint32_t count)
{
    (void)count;
    tell_text(d, EVENT_TAMPER, words[1]);
    device_settle(d);
    return NULL;
}

static const char *counters(struct device *d, char **words, uint32_t count)
{
    uint32_t bad = d->assembler.overrun;
    (void)words;
    (void)count;
    for (uint32_t i = FRAME_BAD_COBS; i < FRAME_FAULTS; i++)
        bad += d->counters.bad[i];
    add_number("ok frames ", d->counters.frames);
    add_number(" refused ", d->counters.refused);
    add_number(" damaged ", bad);
    add_number(" resent ", d->counters.resent);
    add_number(" lost ", d->counters.lost);
    return answer;
}

static const char *outputs(struct device *d, char **words, uint32_t count)
{
    (void)words;
    (void)count;
    add_number("ok outputs ", role_outputs(d));
    return answer;
}

static const struct stimulus_word common_words[] = {
    {"door", 2, door},     {"warn", 2, warn},         {"unwarn", 2, unwarn},
    {"tamper", 2, tamper}, {"counters", 1, counters}, {"outputs", 1, outputs},
};

static uint32_t split(char *line, char **words)
{
    uint32_t count = 0;
    while (count < WORDS_MAX) {
        while (*line == ' ')
            line++;
        if (*line == 0)
            break;
        words[count++] = line;
        while (*line && *line != ' ')
            line++;
        if (*line)
            *line++ = 0;
    }
    return count;
}

static const struct stimulus_word *find(const struct stimulus_word *table, uint32_t size,
                                        const char *word)
{
    for (uint32_t i = 0; i < size; i++)
        if (strcmp(table[i].word, word) == 0)
            return &table[i];
    return NULL;
}

const char *stimulus(struct device *d, char *line)
{
    char *words[WORDS_MAX];
    uint32_t count = split(line, words);
    if (count == 0)
        return WRONG;
    const struct stimulus_word *known =
        find(common_words, sizeof common_words / sizeof common_words[0], words[0]);
    if (!known)
        known = find(role_words, role_word_count, words[0]);
    if (!known || count < known->words_min)
        return WRONG;
    answer[0] = 0;
    const char *said = known->act(d, words, count);
    if (said == WRONG || said == answer)
        return said;
    add(said ? "refused: " : "ok");
    if (said)
        add(said);
    return answer;
}
