#include "CCalotypeSockets.h"

#ifdef __linux__
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

int calotype_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

int calotype_event_create(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void calotype_epoll_watch(int epoll, int descriptor, int watched, int wanted) {
    struct epoll_event event = {.events = 0, .data.fd = descriptor};
    if (wanted == 0) {
        (void)epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, &event);
        return;
    }
    if (wanted & CALOTYPE_READABLE) event.events |= EPOLLIN;
    if (wanted & CALOTYPE_WRITABLE) event.events |= EPOLLOUT;
    if (wanted & CALOTYPE_SIGNALLED) event.events |= EPOLLIN | EPOLLET;
    // The number may have been closed and opened again since the last call.
    int first = watched == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
    if (epoll_ctl(epoll, first, descriptor, &event) != 0)
        (void)epoll_ctl(epoll, first == EPOLL_CTL_ADD ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event);
}

int calotype_epoll_wait(int epoll, struct calotype_ready *ready, int capacity, int milliseconds) {
    enum { most = 64 };
    struct epoll_event events[most];
    int count = epoll_wait(epoll, events, capacity < most ? capacity : most, milliseconds);
    for (int i = 0; i < count; i++) {
        ready[i].descriptor = events[i].data.fd;
        ready[i].events = 0;
        if (events[i].events & EPOLLIN) ready[i].events |= CALOTYPE_READABLE;
        if (events[i].events & EPOLLOUT) ready[i].events |= CALOTYPE_WRITABLE;
        if (events[i].events & (EPOLLERR | EPOLLHUP)) ready[i].events |= CALOTYPE_BROKEN;
    }
    return count > 0 ? count : 0;
}

void calotype_event_signal(int descriptor) { (void)eventfd_write(descriptor, 1); }
#endif
