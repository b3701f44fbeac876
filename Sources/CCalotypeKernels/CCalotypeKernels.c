#include "CCalotypeKernels.h"
