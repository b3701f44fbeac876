#include "CCalotypeSockets.h"

#ifdef __linux__
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int clt_netlink_open(void) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (descriptor < 0) return -1;
    struct sockaddr_nl address;
    memset(&address, 0, sizeof address);
    address.nl_family = AF_NETLINK;
    address.nl_groups =
        RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_IFADDR | RTMGRP_IPV6_ROUTE;
    if (bind(descriptor, (const struct sockaddr *)(const void *)&address, sizeof address) == 0) return descriptor;
    (void)close(descriptor);
    return -1;
}

void clt_netlink_drain(int descriptor) {
    char buffer[8192];
    // An overflow of the socket's buffer is reported once as an error; the messages themselves are not needed.
    while (recv(descriptor, buffer, sizeof buffer, 0) != -1) {}
}
#endif
