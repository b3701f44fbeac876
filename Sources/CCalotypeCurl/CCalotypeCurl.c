#include "CCalotypeCurl.h"

#include <fcntl.h>
#include <sys/socket.h>

char *calotype_curl_resolve_url(const char *base, const char *reference) {
    char *text = NULL;
    CURLU *url = curl_url();
    if (url == NULL) return NULL;
    // The encoding flag takes the spaces and raw bytes that servers put into Location.
    if (curl_url_set(url, CURLUPART_URL, base, CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK &&
        curl_url_set(url, CURLUPART_URL, reference, CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE) == CURLUE_OK &&
        curl_url_set(url, CURLUPART_USER, NULL, 0) == CURLUE_OK &&
        curl_url_set(url, CURLUPART_PASSWORD, NULL, 0) == CURLUE_OK &&
        curl_url_set(url, CURLUPART_FRAGMENT, NULL, 0) == CURLUE_OK) {
        if (curl_url_get(url, CURLUPART_URL, &text, 0) != CURLUE_OK) text = NULL;
    }
    curl_url_cleanup(url);
    return text;
}

curl_socket_t calotype_curl_open_socket(const struct curl_sockaddr *address) {
    curl_socket_t descriptor = socket(address->family, address->socktype, address->protocol);
    if (descriptor >= 0) (void)fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return descriptor;
}
