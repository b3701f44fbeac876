#pragma once
#include <stddef.h>

// The server's side of TLS for tests, by the OpenSSL that libcurl brings: found when the program runs, so that nothing is
// needed to build. Every call blocks its thread.

typedef struct calotype_tls calotype_tls;
typedef struct calotype_tls_stream calotype_tls_stream;

/// A certificate that vouches for itself, made for `name` in the form of a subjectAltName such as `IP:127.0.0.1`, valid
/// from and to so many seconds from now, and a context that serves with it and speaks `protocol` if the client offers that
/// (NULL: none is agreed on). NULL where there is no OpenSSL 3.
calotype_tls *calotype_tls_create(const char *name, long from, long to, const char *protocol);
void calotype_tls_free(calotype_tls *tls);

/// The certificate, in DER.
const unsigned char *calotype_tls_certificate(const calotype_tls *tls, size_t *count);

/// Greets the client at a connected socket; NULL when it would not have the certificate.
calotype_tls_stream *calotype_tls_accept(calotype_tls *tls, int socket);

/// The number of bytes; 0 at the end, whatever it was that ended it.
long calotype_tls_read(calotype_tls_stream *stream, void *bytes, size_t count);
long calotype_tls_write(calotype_tls_stream *stream, const void *bytes, size_t count);

/// Whether the client has said good-bye, or is gone; to be asked when its socket is readable.
int calotype_tls_has_ended(calotype_tls_stream *stream);

/// Says good-bye. The socket stays open.
void calotype_tls_end(calotype_tls_stream *stream);
void calotype_tls_close(calotype_tls_stream *stream);
