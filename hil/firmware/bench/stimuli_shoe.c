/* The words of the bench for a dealing shoe.
 * Not: what they do (shoe.h).
 * Source: hil/firmware/README.md. */
#include "shoe.h"
#include "stimuli.h"

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* "-" is a card without a tag. False: it is not hexadecimal. */
static bool tag_of(const char *word, uint8_t tag[TAG_BYTES_MAX], size_t *length)
{
    *length = 0;
    if (word[0] == '-' && word[1] == 0)
        return true;
    for (; word[0]; word += 2) {
        int high = digit_of(word[0]), low = high < 0 ? -1 : digit_of(word[1]);
        if (low < 0 || *length == TAG_BYTES_MAX)
            return false;
        tag[(*length)++] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static const char *card(struct device *d, char **words, uint32_t count)
{
    uint8_t tag[TAG_BYTES_MAX];
    size_t length;
    uint32_t face = count > 2 ? number_of(words[2]) : 0;
    if (!tag_of(words[1], tag, &length) || face > UINT16_MAX)
        return WRONG;
    return shoe_card(d, tag, length, (uint16_t)face);
}

static const char *unread(struct device *d, char **words, uint32_t count)
{
    (void)words;
    (void)count;
    return shoe_card_unread(d);
}

static const char *at_once(struct device *d, char **words, uint32_t count)
{
    uint32_t cards = number_of(words[1]);
    (void)count;
    return cards > 99 ? WRONG : shoe_cards_at_once(d, (uint16_t)cards);
}

static const char *cut(struct device *d, char **words, uint32_t count)
{
    (void)words;
    (void)count;
    return shoe_cut_card(d);
}

static const char *retract(struct device *d, char **words, uint32_t count)
{
    uint8_t tag[TAG_BYTES_MAX];
    size_t length;
    (void)count;
    if (!tag_of(words[1], tag, &length))
        return WRONG;
    shoe_retracted(d, tag, length);
    return NULL;
}

static const char *load(struct device *d, char **words, uint32_t count)
{
    (void)count;
    shoe_loaded(d, words[1]);
    return NULL;
}

static const char *empty(struct device *d, char **words, uint32_t count)
{
    (void)words;
    (void)count;
    shoe_empty(d);
    return NULL;
}

static const char *jam(struct device *d, char **words, uint32_t count)
{
    (void)count;
    shoe_jam(d, words[0][0] == 'u');
    return NULL;
}

const struct stimulus_word role_words[] = {
    {"card", 2, card},       {"unread", 1, unread}, {"double", 2, at_once},
    {"cut", 1, cut},         {"load", 2, load},     {"retract", 2, retract},
    {"empty", 1, empty},     {"jam", 1, jam},       {"unjam", 1, jam},
};
const uint32_t role_word_count = sizeof role_words / sizeof role_words[0];
