#include <stddef.h>
#include <stdio.h>
#include <hiredis/hiredis.h>
