#include "CCalotypeWebP.h"
