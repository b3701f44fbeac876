#pragma once

#ifdef __linux__
// rtnetlink, which Swift's view of the C library leaves out.

/// A socket that becomes readable when a link, an address or a route changes; -1 where the system gives none.
int clt_netlink_open(void);
/// Reads and discards all pending messages.
void clt_netlink_drain(int descriptor);
#endif
