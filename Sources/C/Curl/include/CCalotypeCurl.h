#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <curl/curl.h>

/// libcurl's own start, once per process: TLS included, which outlives the handlers of exit(3) where it is OpenSSL that
/// was not used before.
CURLcode clt_curl_start(void);

// curl_easy_setopt, curl_multi_setopt and curl_easy_getinfo are variadic, which Swift cannot call. One inline function
// per type of argument; the option's own type is the caller's to get right.

static inline CURLcode clt_curl_set_long(CURL *handle, CURLoption option, long value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode clt_curl_set_pointer(CURL *handle, CURLoption option, const void *value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode clt_curl_set_data_callback(CURL *handle, CURLoption option, curl_write_callback value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode clt_curl_set_socket_callback(CURL *handle, curl_opensocket_callback value) {
    return (curl_easy_setopt)(handle, CURLOPT_OPENSOCKETFUNCTION, value);
}

static inline CURLcode clt_curl_set_resolver_callback(CURL *handle, curl_resolver_start_callback value) {
    return (curl_easy_setopt)(handle, CURLOPT_RESOLVER_START_FUNCTION, value);
}

static inline CURLcode clt_curl_set_request_callback(CURL *handle, curl_prereq_callback value) {
    return (curl_easy_setopt)(handle, CURLOPT_PREREQFUNCTION, value);
}

/// NULL when there is no memory left.
static inline CURLSH *clt_curl_make_cookie_jar(void) {
    CURLSH *jar = curl_share_init();
    if (jar != NULL) (void)(curl_share_setopt)(jar, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
    return jar;
}

/// The library copies the bytes.
static inline CURLcode clt_curl_set_blob(CURL *handle, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = {.data = (void *)bytes, .len = count, .flags = CURL_BLOB_COPY};
    return (curl_easy_setopt)(handle, option, &blob);
}

static inline CURLMcode clt_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return (curl_multi_setopt)(multi, option, value);
}

/// 0 when the library does not know.
static inline long clt_curl_info_long(CURL *handle, CURLINFO info) {
    long value = 0;
    return (curl_easy_getinfo)(handle, info, &value) == CURLE_OK ? value : 0;
}

/// 0 when the library does not know.
static inline curl_off_t clt_curl_info_offset(CURL *handle, CURLINFO info) {
    curl_off_t value = 0;
    return (curl_easy_getinfo)(handle, info, &value) == CURLE_OK ? value : 0;
}

/// The port of the socket on this machine; 0 when the system does not tell.
int32_t clt_curl_local_port(curl_socket_t descriptor);

/// Whether input waits at the socket, or in the TLS of the connection that the handle has.
bool clt_curl_has_input(CURL *handle, curl_socket_t descriptor);

/// What CURLOPT_PRIVATE was set to.
static inline void *clt_curl_info_private(CURL *handle) {
    char *value = NULL;
    return (curl_easy_getinfo)(handle, CURLINFO_PRIVATE, &value) == CURLE_OK ? value : NULL;
}

/// Takes the next finished transfer off the list: its handle, or NULL when there is none.
static inline CURL *clt_curl_next_finished(CURLM *multi, CURLcode *result) {
    int left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    }
    return NULL;
}

/// Allows HTTP and HTTPS and nothing else.
static inline CURLcode clt_curl_allow_web_only(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return (curl_easy_setopt)(handle, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return (curl_easy_setopt)(handle, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

/// Lets a handle go whose name lookup still runs without waiting for the lookup, where the library can (7.87).
static inline void clt_curl_quit_quickly(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075700
    (void)(curl_easy_setopt)(handle, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)handle;
#endif
}

/// Lets a multi handle go without waiting for name lookups that still run. From libcurl 8.20 on the lookup threads
/// belong to the multi handle; before, CURLOPT_QUICK_EXIT of the easy handle is enough.
static inline void clt_curl_multi_quit_quickly(CURLM *multi) {
#if LIBCURL_VERSION_NUM >= 0x081400
    (void)(curl_multi_setopt)(multi, CURLMOPT_QUICK_EXIT, 1L);
#else
    (void)multi;
#endif
}

/// Resolves `reference` against `base` (RFC 3986, section 5) without its credentials and fragment. To be freed with
/// curl_free; NULL when it cannot be a URL.
char *clt_curl_resolve_url(const char *base, const char *reference);

/// The address inside, in its full length, which its declared type does not have.
static inline const struct sockaddr *clt_curl_address(const struct curl_sockaddr *address) { return &address->addr; }

/// Opens the socket that curl asks for, closed in child processes.
curl_socket_t clt_curl_open_socket(const struct curl_sockaddr *address);
