#include "CCalotypeAVIF.h"
