#include <stdio.h>

struct point { int across; };
static int helper(int unused) { return 0 }

int main(void) {
	struct point p = { 1 };
    const char *é = "naïve"; int first = é; prinft("%s\n", é);
    p.acros = 2;
    printf("%d\n", é);
    return total;
}
