/* A line of text from the bench, done to the device, and the line that answers.
 * Not: real sensors; a maker leaves this folder out.
 * Source: hil/firmware/README.md. */
#ifndef STIMULI_H
#define STIMULI_H

#include "state.h"

#define LINE_MAX 96u

/* "ok", "refused: why" or "unknown"; valid until the next call. The line is changed. */
const char *stimulus(struct device *d, char *line);

/* What a role adds. `words[0]` is the word of the stimulus; NULL: done, WRONG: not understood. */
extern const char WRONG[];

struct stimulus_word {
    const char *word;
    uint8_t words_min;
    const char *(*act)(struct device *d, char **words, uint32_t count);
};

extern const struct stimulus_word role_words[];
extern const uint32_t role_word_count;

/* A number of at most nine digits; UINT32_MAX: it is none. */
uint32_t number_of(const char *word);

#endif
