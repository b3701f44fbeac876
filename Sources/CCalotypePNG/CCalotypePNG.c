#include "CCalotypePNG.h"
