/* The power cut after every single byte that a device's day writes to its memory.
 * With a number, after each so many.
 * Not: what must hold then (life.c).
 * Source: firmware_bridge/tablelink/README.md, "Events", "Requests". */
#include <stdio.h>
#include <stdlib.h>

#include "life.h"
#include "role.h"

/* Twice around both ends of the answers' and the ring's places. */
#define ROUNDS 3

static void shuffler_day(void)
{
    life_stimulus("pace 20");
    life_ask(ORDER_LOAD, 1);
    life_stimulus("put 1 416 red");
    life_ask(ORDER_COUNT, 1);
    life_lose(1);
    life_ask(ORDER_SHUFFLE, 1);
    life_ask_again();
    life_tick(30);
    life_ask(ORDER_STORE, 1);
    life_ask(ORDER_RELEASE, 1);
    life_stimulus("take 1");
    life_ask(ORDER_STATUS, 0);
}

static void shoe_day(void)
{
    life_stimulus("load RED-0001");
    life_ask(ORDER_UNLOCK, 0);
    life_stimulus("card e0040150a05f02b7 2305");
    life_stimulus("card - 258");
    life_lose(3);
    life_stimulus("cut");
    life_ask(ORDER_LOCK, 0);
    life_ask_again();
    life_tick(60);
    life_stimulus("empty");
}

static void days(size_t cut)
{
    life_begin();
    if (cut)
        life_cut_after(cut);
    for (int round = 0; round < ROUNDS; round++) {
        if (ROLE == ROLE_SHUFFLER)
            shuffler_day();
        else
            shoe_day();
    }
    life_end();
}

int main(int argc, char **argv)
{
    size_t step = argc > 1 ? strtoul(argv[1], NULL, 10) : 1, cuts = 0;
    life_begin();
    size_t before = life_stored();
    days(0);
    size_t whole = life_stored() - before;
    for (size_t cut = 1; cut <= whole; cut += step) {
        days(cut);
        cuts++;
    }
    printf("%zu cuts\n", cuts);
    return 0;
}
