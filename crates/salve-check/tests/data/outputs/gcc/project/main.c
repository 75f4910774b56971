#include <stdio.h>
#include "missing.h"
