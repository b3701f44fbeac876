#pragma once
#include <stddef.h>

// The server's side of TLS for tests. OpenSSL 3 is loaded at run time, so that the build does not need it; libcurl
// depends on it. Every call blocks its thread.

typedef struct clt_tls clt_tls;
/// An SSL of OpenSSL.
typedef struct clt_tls_stream clt_tls_stream;

/// Creates a context that uses a certificate and its elliptic-curve key, both in DER; NULL without OpenSSL 3.
///
/// - `protocol`: the protocol that the server selects when the client offers it (ALPN), or NULL for none.
clt_tls *clt_tls_create(const void *certificate, size_t certificate_count, const void *key, size_t key_count,
                                  const char *protocol);
void clt_tls_free(clt_tls *tls);

/// Performs the handshake on a connected socket; NULL when it fails.
clt_tls_stream *clt_tls_accept(clt_tls *tls, int socket);

/// Read or write, and return the number of bytes, or 0 when the connection has ended or failed.
long clt_tls_read(clt_tls_stream *stream, void *bytes, size_t count);
long clt_tls_write(clt_tls_stream *stream, const void *bytes, size_t count);

/// Whether the client has sent close_notify or closed the connection. Call it only when the socket is readable.
int clt_tls_has_ended(clt_tls_stream *stream);

/// Sends close_notify. The socket stays open.
void clt_tls_end(clt_tls_stream *stream);
void clt_tls_close(clt_tls_stream *stream);
