#include "lib.h"
#include <ctype.h>

int longest_word(const char *text)
{
    int best = 0, now = 0;
    for (; *text; text++) {
        now = isspace((unsigned char)*text) ? 0 : now + 1;
        if (now > best)
            best = now;
    }
    return best;
}
