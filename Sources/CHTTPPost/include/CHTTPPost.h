#pragma once

#include <stdbool.h>
#include <stddef.h>

/// Sends HTTP POST requests by libcurl, which is loaded at run time. It follows no redirection, and keeps a bounded part of an answer.
///
/// Foundation's URLSession does not fit. On Linux it keeps a write source on the socket after the request is out, and spins until the
/// answer comes. It takes no IPv6 address, and collects an answer without a bound.
struct http_client;

/// The most bytes that are kept of an answer. A longer answer is cut off, and its connection closed.
enum { HTTP_ANSWER_LIMIT = 64 * 1024 };

struct http_answer {
    /// The status, or 0 if no answer came.
    long status;
    /// The seconds that `Retry-After` names; 0 or less if it names none.
    long long retry_after;
    /// The number of bytes in `body`.
    size_t size;
    /// The caller's room for HTTP_ANSWER_LIMIT bytes.
    unsigned char *body;
    /// Why the answer did not come, or did not come whole. Empty if it did.
    char failure[256];
};

/// A client, or NULL if libcurl is not here. One thread at a time uses it.
struct http_client *http_client_make(void);
void http_client_free(struct http_client *client);

/// Files in PEM format for TLS. Each is NULL if there is none.
struct http_certificates {
    /// The authorities that the server's certificate is checked against; without it, those of the system.
    const char *authorities;
    /// The client's own certificate and its key.
    const char *own;
    const char *key;
};

/// Sends a request, and waits at most `milliseconds` for the whole answer.
///
/// `headers` are lines of the form `Name: value`, with a null pointer at the end.
void http_client_post(struct http_client *client, const char *url, const struct http_certificates *certificates,
                      const char *const *headers, const void *body, size_t size, long milliseconds, struct http_answer *answer);
