#include "CCalotypeLCMS.h"
