#include "CCalotypeLoopbackTLS.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The functions of OpenSSL 3.0 that are used here, with void * for its types.
// X(result, name, parameters)
#define FUNCTIONS(X)                                                                                       \
    X(int, OPENSSL_init_crypto, (uint64_t options, const void *settings))                                  \
    X(const void *, TLS_server_method, (void))                                                             \
    X(void *, SSL_CTX_new, (const void *method))                                                           \
    X(void, SSL_CTX_free, (void *context))                                                                 \
    X(int, SSL_CTX_use_certificate_ASN1, (void *context, int count, const unsigned char *bytes))           \
    X(int, SSL_CTX_use_PrivateKey_ASN1, (int kind, void *context, const unsigned char *bytes, long count)) \
    X(void, SSL_CTX_set_alpn_select_cb, (void *context, alpn_callback callback, void *argument))           \
    X(void *, SSL_new, (void *context))                                                                    \
    X(void, SSL_free, (void *stream))                                                                      \
    X(int, SSL_set_fd, (void *stream, int socket))                                                         \
    X(int, SSL_accept, (void *stream))                                                                     \
    X(int, SSL_read, (void *stream, void *bytes, int count))                                               \
    X(int, SSL_peek, (void *stream, void *bytes, int count))                                               \
    X(int, SSL_write, (void *stream, const void *bytes, int count))                                        \
    X(int, SSL_shutdown, (void *stream))                                                                   \
    X(int, SSL_get_error, (const void *stream, int result))                                                \
    X(void, ERR_clear_error, (void))

typedef int (*alpn_callback)(void *stream, const unsigned char **chosen, unsigned char *chosen_count,
                             const unsigned char *offered, unsigned offered_count, void *argument);

#define DECLARE(result, name, parameters) static result(*p_##name) parameters;
FUNCTIONS(DECLARE)

enum { kind_ec = 408, without_exit_handler = 0x00080000 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
/// Whether the library and all functions were found.
static int is_loaded = 0;

static void load(void) {
    void *library = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return;
    // dlsym also searches the libraries that libssl needs. POSIX allows a function's address as void *.
#define FIND(result, name, parameters)             \
    {                                              \
        void *address = dlsym(library, #name);     \
        if (address == NULL) return;               \
        memcpy(&p_##name, &address, sizeof address); \
    }
    FUNCTIONS(FIND)
    // The threads of servers still run when the process exits. Without exit handlers OpenSSL keeps the memory that they
    // use.
    (void)p_OPENSSL_init_crypto(without_exit_handler, NULL);
    is_loaded = 1;
}

struct clt_tls {
    void *context;
    char protocol[16];
};

static int select_protocol(void *stream, const unsigned char **chosen, unsigned char *chosen_count,
                           const unsigned char *offered, unsigned offered_count, void *argument) {
    (void)stream;
    const struct clt_tls *tls = argument;
    size_t length = strlen(tls->protocol);
    // The client's list of names, each after a byte with its length (RFC 7301, section 3.1).
    for (unsigned i = 0; i < offered_count; i += 1u + offered[i]) {
        if (offered[i] != length || i + 1 + length > offered_count) continue;
        if (memcmp(offered + i + 1, tls->protocol, length) != 0) continue;
        *chosen = offered + i + 1;
        *chosen_count = (unsigned char)length;
        return 0;
    }
    return 3;  // SSL_TLSEXT_ERR_NOACK: continue without a protocol
}

clt_tls *clt_tls_create(const void *certificate, size_t certificate_count, const void *key, size_t key_count,
                                  const char *protocol) {
    (void)pthread_once(&once, load);
    if (!is_loaded) return NULL;
    clt_tls *tls = calloc(1, sizeof *tls);
    if (tls == NULL) return NULL;
    tls->context = p_SSL_CTX_new(p_TLS_server_method());
    if (tls->context == NULL || p_SSL_CTX_use_certificate_ASN1(tls->context, (int)certificate_count, certificate) != 1 ||
        p_SSL_CTX_use_PrivateKey_ASN1(kind_ec, tls->context, key, (long)key_count) != 1) {
        clt_tls_free(tls);
        return NULL;
    }
    if (protocol != NULL && strlen(protocol) < sizeof tls->protocol) {
        memcpy(tls->protocol, protocol, strlen(protocol));
        p_SSL_CTX_set_alpn_select_cb(tls->context, select_protocol, tls);
    }
    return tls;
}

void clt_tls_free(clt_tls *tls) {
    if (tls->context != NULL) p_SSL_CTX_free(tls->context);
    free(tls);
}

clt_tls_stream *clt_tls_accept(clt_tls *tls, int socket) {
    void *stream = p_SSL_new(tls->context);
    if (stream == NULL) return NULL;
    if (p_SSL_set_fd(stream, socket) == 1 && p_SSL_accept(stream) == 1) return stream;
    p_SSL_free(stream);
    return NULL;
}

static int int_count(size_t count) { return count > 1 << 20 ? 1 << 20 : (int)count; }

/// Whether a signal interrupted a call, which must then be repeated: a blocking socket has no other reason for these
/// codes. errno does not tell, because other failures do not set it.
static int was_interrupted(clt_tls_stream *stream, int result) {
    enum { want_read = 2, want_write = 3 };
    int reason = p_SSL_get_error(stream, result);
    return reason == want_read || reason == want_write;
}

long clt_tls_read(clt_tls_stream *stream, void *bytes, size_t count) {
    int result;
    do {
        p_ERR_clear_error();
        result = p_SSL_read(stream, bytes, int_count(count));
    } while (result <= 0 && was_interrupted(stream, result));
    return result > 0 ? result : 0;
}

long clt_tls_write(clt_tls_stream *stream, const void *bytes, size_t count) {
    int result;
    do {
        p_ERR_clear_error();
        result = p_SSL_write(stream, bytes, int_count(count));
    } while (result <= 0 && was_interrupted(stream, result));
    return result > 0 ? result : 0;
}

int clt_tls_has_ended(clt_tls_stream *stream) {
    char byte;
    return p_SSL_peek(stream, &byte, 1) <= 0;
}

void clt_tls_end(clt_tls_stream *stream) { (void)p_SSL_shutdown(stream); }

void clt_tls_close(clt_tls_stream *stream) { p_SSL_free(stream); }
