/* The two copies of the head: which counts, and changing it in one step.
 * Not: events (ring.c) and answers (requests.c).
 * Source: firmware_bridge/tablelink/README.md, "Events", "Requests". */
#include "store.h"

#include <string.h>

#include "frame.h"
#include "hal.h"

/* Memory left by another build is not read as if it were ours. */
#define LAYOUT (0x544c0000u ^ (uint32_t)sizeof(struct store) ^ ((uint32_t)ROLE << 24))

static uint32_t head_crc(const struct head *head)
{
    return crc32c((const uint8_t *)head, offsetof(struct head, crc));
}

static bool head_counts(const struct head *head)
{
    return head->layout == LAYOUT && head->crc == head_crc(head) && head->first >= 1 &&
           head->next >= head->first && head->next - head->first <= RING_PLACES;
}

void store_load(struct device *d)
{
    const struct head *heads = d->store->heads;
    bool one = head_counts(&heads[0]), two = head_counts(&heads[1]);
    if (one || two) {
        bool second = two && (!one || (int32_t)(heads[1].turn - heads[0].turn) > 0);
        memcpy(&d->head, &heads[second ? 1 : 0], sizeof d->head);
        return;
    }
    /* Numbers restart here. The host sees that they are below what it stored, and lets the
     * device in no more: a memory that was lost is never papered over. */
    memset(&d->head, 0, sizeof d->head);
    d->head.layout = LAYOUT;
    d->head.first = d->head.next = 1;
}

void store_commit(struct device *d)
{
    d->head.turn++;
    d->head.crc = head_crc(&d->head);
    hal_store(&d->store->heads[d->head.turn & 1u], &d->head, sizeof d->head);
    d->changed = false;
}
