#pragma once

#ifdef __linux__
// epoll, eventfd and rtnetlink, which Swift's view of the C library leaves out.

enum { CALOTYPE_READABLE = 1, CALOTYPE_WRITABLE = 2, CALOTYPE_BROKEN = 4, CALOTYPE_SIGNALLED = 8 };

struct calotype_ready {
    int descriptor;
    int events;
};

/// An epoll descriptor; -1 when the system has no descriptor left.
int calotype_epoll_create(void);

/// Has the kernel watch a descriptor for `wanted` instead of `watched`; 0 stands for nothing. CALOTYPE_SIGNALLED is for
/// a descriptor of calotype_event_create: each signal is reported once, and need not be read.
void calotype_epoll_watch(int epoll, int descriptor, int watched, int wanted);

/// Fills `ready` and returns how many entries are valid. Waits at most `milliseconds`; -1 waits without a limit.
int calotype_epoll_wait(int epoll, struct calotype_ready *ready, int capacity, int milliseconds);

/// An eventfd; -1 when the system has no descriptor left.
int calotype_event_create(void);
void calotype_event_signal(int descriptor);

/// A socket that becomes readable when a link, an address or a route changes; -1 where the system gives none.
int calotype_netlink_open(void);
/// Reads and discards all pending messages.
void calotype_netlink_drain(int descriptor);
#endif
