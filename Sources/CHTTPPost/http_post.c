#include "CHTTPPost.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The numbers of curl.h, which libcurl promises to keep.
enum {
    GLOBAL_ALL = 3,
    OPTION_POST = 47,
    OPTION_FOLLOW_LOCATION = 52,
    OPTION_NO_SIGNAL = 99,
    OPTION_TIMEOUT_MS = 155,
    OPTION_PROTOCOLS = 181,
    OPTION_WRITE_DATA = 10001,
    OPTION_URL = 10002,
    OPTION_ERROR_BUFFER = 10010,
    OPTION_POST_FIELDS = 10015,
    OPTION_HTTP_HEADER = 10023,
    OPTION_OWN_CERTIFICATE = 10025,
    OPTION_AUTHORITIES = 10065,
    OPTION_OWN_KEY = 10087,
    OPTION_WRITE_FUNCTION = 20011,
    OPTION_POST_FIELD_SIZE_LARGE = 30120,
    PROTOCOLS_HTTP_AND_HTTPS = 3,
    CODE_TIMED_OUT = 28,
    INFO_RESPONSE_CODE = 0x200000 + 2,
    INFO_RETRY_AFTER = 0x600000 + 57,
};

struct http_client {
    void *handle;
    void *(*easy_init)(void);
    void (*easy_cleanup)(void *handle);
    void (*easy_reset)(void *handle);
    int (*easy_setopt)(void *handle, int option, ...);
    int (*easy_getinfo)(void *handle, int info, ...);
    int (*easy_perform)(void *handle);
    const char *(*easy_strerror)(int code);
    void *(*slist_append)(void *list, const char *text);
    void (*slist_free_all)(void *list);
};

static bool find(struct http_client *client, void *library) {
    int (*global_init)(long) = (int (*)(long))dlsym(library, "curl_global_init");
    client->easy_init = (void *(*)(void))dlsym(library, "curl_easy_init");
    client->easy_cleanup = (void (*)(void *))dlsym(library, "curl_easy_cleanup");
    client->easy_reset = (void (*)(void *))dlsym(library, "curl_easy_reset");
    client->easy_setopt = (int (*)(void *, int, ...))dlsym(library, "curl_easy_setopt");
    client->easy_getinfo = (int (*)(void *, int, ...))dlsym(library, "curl_easy_getinfo");
    client->easy_perform = (int (*)(void *))dlsym(library, "curl_easy_perform");
    client->easy_strerror = (const char *(*)(int))dlsym(library, "curl_easy_strerror");
    client->slist_append = (void *(*)(void *, const char *))dlsym(library, "curl_slist_append");
    client->slist_free_all = (void (*)(void *))dlsym(library, "curl_slist_free_all");
    return global_init != NULL && client->easy_init != NULL && client->easy_cleanup != NULL && client->easy_reset != NULL &&
           client->easy_setopt != NULL && client->easy_getinfo != NULL && client->easy_perform != NULL &&
           client->easy_strerror != NULL && client->slist_append != NULL && client->slist_free_all != NULL &&
           global_init(GLOBAL_ALL) == 0;
}

struct http_client *http_client_make(void) {
    // Never closed: libcurl and the libraries that it loads leave handlers for the end of the process.
    void *library = dlopen("libcurl.so.4", RTLD_NOW);
    struct http_client *client = library != NULL ? calloc(1, sizeof *client) : NULL;
    if (client == NULL) return NULL;
    if (find(client, library)) client->handle = client->easy_init();
    if (client->handle != NULL) return client;
    free(client);
    return NULL;
}

void http_client_free(struct http_client *client) {
    client->easy_cleanup(client->handle);
    free(client);
}

/// Keeps the bytes that have room. A number other than `count` ends the transfer.
static size_t keep(const char *bytes, size_t unit, size_t count, void *context) {
    (void)unit;
    struct http_answer *answer = context;
    size_t room = HTTP_ANSWER_LIMIT - answer->size;
    size_t kept = count < room ? count : room;
    memcpy(answer->body + answer->size, bytes, kept);
    answer->size += kept;
    return kept;
}

void http_client_post(struct http_client *client, const char *url, const struct http_certificates *certificates,
                      const char *const *headers, const void *body, size_t size, long milliseconds, struct http_answer *answer) {
    answer->status = 0;
    answer->retry_after = 0;
    answer->size = 0;
    answer->failure[0] = 0;
    void *handle = client->handle;
    void *list = NULL;
    for (; *headers != NULL; headers++) {
        void *longer = client->slist_append(list, *headers);
        if (longer != NULL) list = longer;
    }
    client->easy_reset(handle);
    client->easy_setopt(handle, OPTION_URL, url);
    client->easy_setopt(handle, OPTION_PROTOCOLS, (long)PROTOCOLS_HTTP_AND_HTTPS);
    client->easy_setopt(handle, OPTION_FOLLOW_LOCATION, 0L);
    client->easy_setopt(handle, OPTION_NO_SIGNAL, 1L);
    client->easy_setopt(handle, OPTION_TIMEOUT_MS, milliseconds);
    if (certificates->authorities != NULL) client->easy_setopt(handle, OPTION_AUTHORITIES, certificates->authorities);
    if (certificates->own != NULL) client->easy_setopt(handle, OPTION_OWN_CERTIFICATE, certificates->own);
    if (certificates->key != NULL) client->easy_setopt(handle, OPTION_OWN_KEY, certificates->key);
    client->easy_setopt(handle, OPTION_POST, 1L);
    client->easy_setopt(handle, OPTION_POST_FIELDS, body);
    client->easy_setopt(handle, OPTION_POST_FIELD_SIZE_LARGE, (long long)size);
    client->easy_setopt(handle, OPTION_HTTP_HEADER, list);
    client->easy_setopt(handle, OPTION_WRITE_FUNCTION, keep);
    client->easy_setopt(handle, OPTION_WRITE_DATA, answer);
    client->easy_setopt(handle, OPTION_ERROR_BUFFER, answer->failure);
    int code = client->easy_perform(handle);
    client->easy_getinfo(handle, INFO_RESPONSE_CODE, &answer->status);
    // Versions before 7.66 do not know it, and leave the number alone.
    client->easy_getinfo(handle, INFO_RETRY_AFTER, &answer->retry_after);
    // libcurl's own sentence has the milliseconds, and would be another each time.
    if (code == CODE_TIMED_OUT) snprintf(answer->failure, sizeof answer->failure, "it gave no answer in time");
    if (code != 0 && answer->failure[0] == 0) snprintf(answer->failure, sizeof answer->failure, "%s", client->easy_strerror(code));
    if (code == 0) answer->failure[0] = 0;
    // The handle outlives the answer and the list.
    client->easy_reset(handle);
    client->slist_free_all(list);
}
