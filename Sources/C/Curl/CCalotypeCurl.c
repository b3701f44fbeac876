#include "CCalotypeCurl.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

#ifdef __linux__
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

/// OpenSSL's SSL_pending, where libcurl may use it.
static int (*count_decrypted)(const void *ssl);

/// Has OpenSSL stay as it is when the process ends. Otherwise it frees its locks and tables from a handler of exit(3),
/// while the threads of loaders still run, be it only to close their connections, and crash.
static void keep_openssl(void) {
    // A stub may replace libcurl and load it at the first call.
    curl_free(NULL);
    // The libraries that libcurl needs are searched with it. It may be a part of the program: then all of that is
    // searched, since NULL is RTLD_DEFAULT.
    void *libcurl = dlopen("libcurl.so.4", RTLD_LAZY | RTLD_NOLOAD);
    void *address = dlsym(libcurl, "SSL_pending");
    if (address != NULL) memcpy(&count_decrypted, &address, sizeof count_decrypted);
    address = dlsym(libcurl, "OPENSSL_init_crypto");
    if (address != NULL) {
        enum { without_exit_handler = 0x00080000 };  // OPENSSL_INIT_NO_ATEXIT: counts in the first call of the process
        int (*initialize)(uint64_t options, const void *settings);
        // POSIX lets a function's address pass as void *.
        memcpy(&initialize, &address, sizeof initialize);
        (void)initialize(without_exit_handler, NULL);
    }
    if (libcurl != NULL) (void)dlclose(libcurl);
}
#endif

#ifdef __GLIBC__
/// Has glibc keep some freed memory. Otherwise it returns the memory of each transfer to the system, which clears it
/// for the next one. It raises its thresholds for good when it frees a block of this size, as most programs with images
/// do some time.
static void keep_freed_memory(void) {
    // Volatile, or the compiler would leave both calls out.
    void *volatile block = malloc(1 << 20);
    free(block);
}
#endif

CURLcode clt_curl_start(void) {
#ifdef __linux__
    keep_openssl();
#endif
#ifdef __GLIBC__
    keep_freed_memory();
#endif
    return curl_global_init(CURL_GLOBAL_SSL | CURL_GLOBAL_WIN32);
}

char *clt_curl_resolve_url(const char *base, const char *reference) {
    char *text = NULL;
    CURLU *url = curl_url();
    if (url == NULL) return NULL;
    if (curl_url_set(url, CURLUPART_URL, base, CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK &&
        curl_url_set(url, CURLUPART_URL, reference, CURLU_NON_SUPPORT_SCHEME) == CURLUE_OK &&
        curl_url_set(url, CURLUPART_USER, NULL, 0) == CURLUE_OK &&
        curl_url_set(url, CURLUPART_PASSWORD, NULL, 0) == CURLUE_OK &&
        curl_url_set(url, CURLUPART_FRAGMENT, NULL, 0) == CURLUE_OK) {
        if (curl_url_get(url, CURLUPART_URL, &text, 0) != CURLUE_OK) text = NULL;
    }
    curl_url_cleanup(url);
    return text;
}

/// Whether OpenSSL has decrypted more than libcurl has read.
static bool has_decrypted_input(CURL *handle) {
#ifdef __linux__
    struct curl_tlssessioninfo *session = NULL;
    if (count_decrypted == NULL || curl_easy_getinfo(handle, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK) return false;
    if (session == NULL || session->backend != CURLSSLBACKEND_OPENSSL || session->internals == NULL) return false;
    return count_decrypted(session->internals) > 0;
#else
    (void)handle;
    return false;
#endif
}

bool clt_curl_has_input(CURL *handle, curl_socket_t descriptor) {
    char byte;
    return recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0 || has_decrypted_input(handle);
}

int32_t clt_curl_local_port(curl_socket_t descriptor) {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address = {{0}};
    socklen_t size = sizeof address;
    if (getsockname(descriptor, &address.any, &size) != 0) return 0;
    switch (address.any.sa_family) {
    case AF_INET: return ntohs(address.v4.sin_port);
    case AF_INET6: return ntohs(address.v6.sin6_port);
    default: return 0;
    }
}

curl_socket_t clt_curl_open_socket(const struct curl_sockaddr *address) {
#ifdef SOCK_CLOEXEC
    // At once, or a process that another thread starts meanwhile would inherit it.
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
    curl_socket_t descriptor = socket(address->family, address->socktype, address->protocol);
    if (descriptor >= 0) (void)fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return descriptor;
#endif
}
