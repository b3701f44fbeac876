#pragma once

#ifdef __linux__
// eventfd and rtnetlink, which Swift's view of the C library leaves out.

/// An eventfd; -1 when the system has no descriptor left.
int calotype_event_create(void);
void calotype_event_signal(int descriptor);

/// A socket that becomes readable when a link, an address or a route changes; -1 where the system gives none.
int calotype_netlink_open(void);
/// Reads and discards all pending messages.
void calotype_netlink_drain(int descriptor);
#endif
