#include "CCalotypeCodec.h"
