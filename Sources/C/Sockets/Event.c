#include "CCalotypeSockets.h"

#ifdef __linux__
#include <sys/eventfd.h>

int calotype_event_create(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void calotype_event_signal(int descriptor) { (void)eventfd_write(descriptor, 1); }
#endif
