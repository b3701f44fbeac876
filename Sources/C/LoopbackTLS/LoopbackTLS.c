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
    X(int, SSL_CTX_use_certificate, (void *context, void *certificate))                                    \
    X(int, SSL_CTX_use_PrivateKey, (void *context, void *key))                                             \
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
    X(void, ERR_clear_error, (void))                                                                       \
    X(void *, EVP_PKEY_CTX_new_id, (int kind, void *engine))                                               \
    X(void, EVP_PKEY_CTX_free, (void *context))                                                            \
    X(int, EVP_PKEY_keygen_init, (void *context))                                                          \
    X(int, EVP_PKEY_CTX_set_ec_paramgen_curve_nid, (void *context, int curve))                             \
    X(int, EVP_PKEY_keygen, (void *context, void **key))                                                   \
    X(void, EVP_PKEY_free, (void *key))                                                                    \
    X(const void *, EVP_sha256, (void))                                                                    \
    X(void *, X509_new, (void))                                                                            \
    X(void, X509_free, (void *certificate))                                                                \
    X(int, X509_set_version, (void *certificate, long version))                                            \
    X(void *, X509_get_serialNumber, (void *certificate))                                                  \
    X(int, ASN1_INTEGER_set, (void *integer, long value))                                                  \
    X(void *, X509_getm_notBefore, (const void *certificate))                                              \
    X(void *, X509_getm_notAfter, (const void *certificate))                                               \
    X(void *, X509_gmtime_adj, (void *time, long seconds))                                                 \
    X(void *, X509_get_subject_name, (const void *certificate))                                            \
    X(int, X509_set_issuer_name, (void *certificate, const void *name))                                    \
    X(int, X509_NAME_add_entry_by_txt,                                                                     \
      (void *name, const char *field, int type, const unsigned char *bytes, int count, int place, int set)) \
    X(int, X509_set_pubkey, (void *certificate, void *key))                                                \
    X(void *, X509V3_EXT_conf_nid, (void *configuration, void *context, int kind, const char *value))      \
    X(int, X509_add_ext, (void *certificate, void *extension, int place))                                  \
    X(void, X509_EXTENSION_free, (void *extension))                                                        \
    X(int, X509_sign, (void *certificate, void *key, const void *digest))                                  \
    X(int, i2d_X509, (const void *certificate, unsigned char **bytes))

typedef int (*alpn_callback)(void *stream, const unsigned char **chosen, unsigned char *chosen_count,
                             const unsigned char *offered, unsigned offered_count, void *argument);

#define DECLARE(result, name, parameters) static result(*p_##name) parameters;
FUNCTIONS(DECLARE)

enum { kind_ec = 408, curve_p256 = 415, extension_names = 85, extension_constraints = 87, text_utf8 = 0x1001 };
enum { without_exit_handler = 0x00080000 };

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
    // The threads of servers still run when the process exits. Without exit handlers OpenSSL keeps the memory that they use.
    (void)p_OPENSSL_init_crypto(without_exit_handler, NULL);
    is_loaded = 1;
}

struct calotype_tls {
    void *context;
    unsigned char *der;
    size_t der_count;
    char protocol[16];
};

struct calotype_tls_stream {
    void *ssl;
};

static int select_protocol(void *stream, const unsigned char **chosen, unsigned char *chosen_count,
                           const unsigned char *offered, unsigned offered_count, void *argument) {
    (void)stream;
    const struct calotype_tls *tls = argument;
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

static void *make_key(void) {
    void *key = NULL;
    void *context = p_EVP_PKEY_CTX_new_id(kind_ec, NULL);
    if (context == NULL) return NULL;
    if (p_EVP_PKEY_keygen_init(context) != 1 || p_EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, curve_p256) != 1 ||
        p_EVP_PKEY_keygen(context, &key) != 1)
        key = NULL;
    p_EVP_PKEY_CTX_free(context);
    return key;
}

static int add_extension(void *certificate, int kind, const char *value) {
    void *extension = p_X509V3_EXT_conf_nid(NULL, NULL, kind, value);
    if (extension == NULL) return 0;
    int added = p_X509_add_ext(certificate, extension, -1);
    p_X509_EXTENSION_free(extension);
    return added == 1;
}

static void *make_certificate(void *key, const char *name, long from, long to) {
    static const unsigned char title[] = "Calotype loopback";
    void *certificate = p_X509_new();
    if (certificate == NULL) return NULL;
    void *subject = p_X509_get_subject_name(certificate);
    int is_good = p_X509_set_version(certificate, 2) == 1 &&
                  p_ASN1_INTEGER_set(p_X509_get_serialNumber(certificate), 1) == 1 &&
                  p_X509_gmtime_adj(p_X509_getm_notBefore(certificate), from) != NULL &&
                  p_X509_gmtime_adj(p_X509_getm_notAfter(certificate), to) != NULL &&
                  p_X509_NAME_add_entry_by_txt(subject, "CN", text_utf8, title, -1, -1, 0) == 1 &&
                  p_X509_set_issuer_name(certificate, subject) == 1 && p_X509_set_pubkey(certificate, key) == 1 &&
                  add_extension(certificate, extension_names, name) &&
                  add_extension(certificate, extension_constraints, "critical,CA:TRUE") &&
                  p_X509_sign(certificate, key, p_EVP_sha256()) > 0;
    if (is_good) return certificate;
    p_X509_free(certificate);
    return NULL;
}

calotype_tls *calotype_tls_create(const char *name, long from, long to, const char *protocol) {
    (void)pthread_once(&once, load);
    if (!is_loaded) return NULL;
    calotype_tls *tls = calloc(1, sizeof *tls);
    if (tls == NULL) return NULL;
    void *key = make_key();
    void *certificate = key == NULL ? NULL : make_certificate(key, name, from, to);
    int is_good = 0;
    if (certificate != NULL) {
        int count = p_i2d_X509(certificate, NULL);
        tls->der = count > 0 ? malloc((size_t)count) : NULL;
        if (tls->der != NULL) {
            unsigned char *end = tls->der;
            tls->der_count = (size_t)p_i2d_X509(certificate, &end);
            tls->context = p_SSL_CTX_new(p_TLS_server_method());
            is_good = tls->context != NULL && p_SSL_CTX_use_certificate(tls->context, certificate) == 1 &&
                      p_SSL_CTX_use_PrivateKey(tls->context, key) == 1;
        }
    }
    if (is_good && protocol != NULL && strlen(protocol) < sizeof tls->protocol) {
        memcpy(tls->protocol, protocol, strlen(protocol));
        p_SSL_CTX_set_alpn_select_cb(tls->context, select_protocol, tls);
    }
    // The context has its own references to both.
    if (certificate != NULL) p_X509_free(certificate);
    if (key != NULL) p_EVP_PKEY_free(key);
    if (is_good) return tls;
    calotype_tls_free(tls);
    return NULL;
}

void calotype_tls_free(calotype_tls *tls) {
    if (tls->context != NULL) p_SSL_CTX_free(tls->context);
    free(tls->der);
    free(tls);
}

const unsigned char *calotype_tls_certificate(const calotype_tls *tls, size_t *count) {
    *count = tls->der_count;
    return tls->der;
}

calotype_tls_stream *calotype_tls_accept(calotype_tls *tls, int socket) {
    calotype_tls_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL) return NULL;
    stream->ssl = p_SSL_new(tls->context);
    if (stream->ssl != NULL && p_SSL_set_fd(stream->ssl, socket) == 1 && p_SSL_accept(stream->ssl) == 1) return stream;
    calotype_tls_close(stream);
    return NULL;
}

static int int_count(size_t count) { return count > 1 << 20 ? 1 << 20 : (int)count; }

/// Whether a signal interrupted a call, which must then be repeated: a blocking socket has no other reason for these codes. errno
/// does not tell, because other failures do not set it.
static int was_interrupted(calotype_tls_stream *stream, int result) {
    enum { want_read = 2, want_write = 3 };
    int reason = p_SSL_get_error(stream->ssl, result);
    return reason == want_read || reason == want_write;
}

long calotype_tls_read(calotype_tls_stream *stream, void *bytes, size_t count) {
    int result;
    do {
        p_ERR_clear_error();
        result = p_SSL_read(stream->ssl, bytes, int_count(count));
    } while (result <= 0 && was_interrupted(stream, result));
    return result > 0 ? result : 0;
}

long calotype_tls_write(calotype_tls_stream *stream, const void *bytes, size_t count) {
    int result;
    do {
        p_ERR_clear_error();
        result = p_SSL_write(stream->ssl, bytes, int_count(count));
    } while (result <= 0 && was_interrupted(stream, result));
    return result > 0 ? result : 0;
}

int calotype_tls_has_ended(calotype_tls_stream *stream) {
    char byte;
    return p_SSL_peek(stream->ssl, &byte, 1) <= 0;
}

void calotype_tls_end(calotype_tls_stream *stream) { (void)p_SSL_shutdown(stream->ssl); }

void calotype_tls_close(calotype_tls_stream *stream) {
    if (stream->ssl != NULL) p_SSL_free(stream->ssl);
    free(stream);
}
