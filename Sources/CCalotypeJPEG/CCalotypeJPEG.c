#include "CCalotypeJPEG.h"
