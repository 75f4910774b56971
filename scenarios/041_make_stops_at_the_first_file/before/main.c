#include "lib.h"
#include <stdio.h>

int main(void)
{
    int values[] = {1, 2, 3};
    if (sum_al(values, 3) != 6) { puts("sum"); return 1; }
    if (longest_word("a bcd ef") != 3) { puts("word"); return 1; }
    puts("ok");
    return 0;
}
