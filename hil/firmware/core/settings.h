/* What is chosen when the firmware is built: role, size of the ring, names.
 * Not: what the wire fixes (frame.h, session.h).
 * Source: firmware_bridge/tablelink/README.md. */
#ifndef SETTINGS_H
#define SETTINGS_H

#define ROLE_SHOE 1
#define ROLE_SHUFFLER 2

#ifndef ROLE
#error "say which device this is: -DROLE=1 (shoe) or -DROLE=2 (shuffler)"
#endif

/* A shoe reports many small events, a shuffler few with receipts in them. */
#if ROLE == ROLE_SHUFFLER
#define RECORD_BYTES 192
#define RING_PLACES_USUAL 128
#define DEVICE_ID_USUAL "SHUFFLER-BENCH"
#else
#define RECORD_BYTES 88
#define RING_PLACES_USUAL 384
#define DEVICE_ID_USUAL "SHOE-BENCH-01"
#endif

/* The last place is for OVERFLOW; fewer than 20 leave no room between gate and end. */
#ifndef RING_PLACES
#define RING_PLACES RING_PLACES_USUAL
#endif

#ifndef DEVICE_ID
#define DEVICE_ID DEVICE_ID_USUAL
#endif

#ifndef VERSION
#define VERSION "1.0.0"
#endif

_Static_assert(RING_PLACES >= 20, "a ring of at least 20 places");
_Static_assert(sizeof(DEVICE_ID) - 1 >= 8 && sizeof(DEVICE_ID) - 1 <= 16, "8 to 16 bytes");
_Static_assert(sizeof(VERSION) - 1 <= 16, "a version of at most 16 bytes");

#endif
