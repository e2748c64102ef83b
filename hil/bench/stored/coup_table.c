/* The rules of a coup as a table of 1,100 bytes, in C: what the audit's rules are measured against.
 *
 * Usage: coup_table FILE PASSES
 * FILE holds coups of 8 bytes: the point values of Player 1, Banker 1, Player 2, Banker 2, Player 3,
 * Banker 3 (0 where there is none), which third cards there are (1 Player, 2 Banker, 3 both), and who
 * won (1 Player, 2 Banker, 3 tie). Prints, a pass a line, coups a second of processor time and how
 * many coups are not lawful.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { VALUES = 10, NONE = 10, THIRDS = 11, COUP = 8 };

static unsigned char due[VALUES * VALUES * THIRDS]; /* which third cards, by counts and Player 3 */
static unsigned char digit[2 * VALUES];             /* last digit of the sum of two */
static unsigned char won[VALUES * VALUES];          /* by final counts */

static int banker_draws(int banker, int third)
{
    if (banker <= 2) return 1;
    if (banker == 3) return third != 8;
    if (banker == 4) return third >= 2 && third <= 7;
    if (banker == 5) return third >= 4 && third <= 7;
    if (banker == 6) return third == 6 || third == 7;
    return 0;
}

static int due_thirds(int player, int banker, int third)
{
    if (player >= 8 || banker >= 8) return 0;
    if (player >= 6) return banker <= 5 ? 2 : 0;
    return third == NONE ? 1 : 1 | (banker_draws(banker, third) ? 2 : 0);
}

static void fill(void)
{
    for (int player = 0; player < VALUES; player++) {
        for (int banker = 0; banker < VALUES; banker++) {
            int at = player * VALUES + banker;
            for (int third = 0; third < THIRDS; third++)
                due[at * THIRDS + third] = (unsigned char)due_thirds(player, banker, third);
            won[at] = player > banker ? 1 : banker > player ? 2 : 3;
        }
    }
    for (int sum = 0; sum < 2 * VALUES; sum++) digit[sum] = (unsigned char)(sum % VALUES);
}

static long unlawful(const unsigned char *coups, long count)
{
    long wrong = 0;
    for (long at = 0; at < count; at++) {
        const unsigned char *coup = coups + at * COUP;
        int player = digit[coup[0] + coup[2]], banker = digit[coup[1] + coup[3]];
        int third = coup[6] & 1 ? coup[4] : NONE;
        int lawful = due[(player * VALUES + banker) * THIRDS + third] == coup[6];
        player = digit[player + coup[4]];
        banker = digit[banker + coup[5]];
        lawful &= won[player * VALUES + banker] == coup[7];
        wrong += !lawful;
    }
    return wrong;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    FILE *file = fopen(argv[1], "rb");
    if (file == NULL) return 2;
    fseek(file, 0, SEEK_END);
    long bytes = ftell(file), count = bytes / COUP;
    rewind(file);
    unsigned char *coups = malloc((size_t)bytes);
    if (coups == NULL || fread(coups, 1, (size_t)bytes, file) != (size_t)bytes) return 2;
    fclose(file);
    fill();
    for (int pass = atoi(argv[2]); pass > 0; pass--) {
        double began = seconds();
        long wrong = unlawful(coups, count);
        printf("%.0f %ld\n", (double)count / (seconds() - began), wrong);
    }
    free(coups);
    return 0;
}
