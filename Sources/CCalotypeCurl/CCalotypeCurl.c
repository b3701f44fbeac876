#include "CCalotypeCurl.h"
