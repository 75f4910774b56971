#ifndef LIB_H
#define LIB_H
#include <stddef.h>
int sum_all(const int *values, size_t count);
int longest_word(const char *text);
#endif
