#pragma once
#include <stddef.h>

// The server's side of TLS for tests. OpenSSL 3 is loaded at run time, so that the build does not need it; libcurl depends on it.
// Every call blocks its thread.

typedef struct calotype_tls calotype_tls;
/// An SSL of OpenSSL.
typedef struct calotype_tls_stream calotype_tls_stream;

/// Creates a context that uses a certificate and its elliptic-curve key, both in DER; NULL without OpenSSL 3.
///
/// - `protocol`: the protocol that the server selects when the client offers it (ALPN), or NULL for none.
calotype_tls *calotype_tls_create(const void *certificate, size_t certificate_count, const void *key, size_t key_count,
                                  const char *protocol);
void calotype_tls_free(calotype_tls *tls);

/// Performs the handshake on a connected socket; NULL when it fails.
calotype_tls_stream *calotype_tls_accept(calotype_tls *tls, int socket);

/// Read or write, and return the number of bytes, or 0 when the connection has ended or failed.
long calotype_tls_read(calotype_tls_stream *stream, void *bytes, size_t count);
long calotype_tls_write(calotype_tls_stream *stream, const void *bytes, size_t count);

/// Whether the client has sent close_notify or closed the connection. Call it only when the socket is readable.
int calotype_tls_has_ended(calotype_tls_stream *stream);

/// Sends close_notify. The socket stays open.
void calotype_tls_end(calotype_tls_stream *stream);
void calotype_tls_close(calotype_tls_stream *stream);
