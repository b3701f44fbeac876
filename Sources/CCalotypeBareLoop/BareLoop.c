#include "CCalotypeBareLoop.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

struct slot {
    CURL *handle;
    char *body;
    size_t capacity;
    size_t received;
};

static size_t store_bytes(char *bytes, size_t size, size_t count, void *context) {
    struct slot *slot = context;
    size_t length = size * count;
    if (length > slot->capacity - slot->received) return 0;
    memcpy(slot->body + slot->received, bytes, length);
    slot->received += length;
    return length;
}

static int prepare(struct slot *slot, const char *url, size_t capacity) {
    slot->body = malloc(capacity);
    slot->capacity = capacity;
    slot->handle = curl_easy_init();
    if (slot->handle == NULL || slot->body == NULL) return 0;
    return curl_easy_setopt(slot->handle, CURLOPT_URL, url) == CURLE_OK &&
           curl_easy_setopt(slot->handle, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl_easy_setopt(slot->handle, CURLOPT_BUFFERSIZE, 64L << 10) == CURLE_OK &&
           curl_easy_setopt(slot->handle, CURLOPT_PRIVATE, slot) == CURLE_OK &&
           curl_easy_setopt(slot->handle, CURLOPT_WRITEFUNCTION, store_bytes) == CURLE_OK &&
           curl_easy_setopt(slot->handle, CURLOPT_WRITEDATA, slot) == CURLE_OK;
}

size_t calotype_bare_loop(const char *url, size_t count, size_t connections, size_t body, double *first_bytes) {
    size_t started = 0, ended = 0, good = 0;
    CURLM *multi = curl_multi_init();
    struct slot *slots = calloc(connections, sizeof *slots);
    if (multi == NULL || slots == NULL) goto out;
    (void)curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)connections);
    for (; started < connections && started < count; started++) {
        if (!prepare(&slots[started], url, body) || curl_multi_add_handle(multi, slots[started].handle) != CURLM_OK) goto out;
    }
    while (ended < count) {
        int running = 0, left = 0;
        CURLMsg *message;
        if (curl_multi_perform(multi, &running) != CURLM_OK) break;
        while ((message = curl_multi_info_read(multi, &left)) != NULL) {
            if (message->msg != CURLMSG_DONE) continue;
            CURL *handle = message->easy_handle;
            CURLcode result = message->data.result;
            char *private = NULL;
            curl_off_t first = 0;
            long status = 0;
            (void)curl_easy_getinfo(handle, CURLINFO_PRIVATE, &private);
            (void)curl_easy_getinfo(handle, CURLINFO_STARTTRANSFER_TIME_T, &first);
            (void)curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
            struct slot *slot = (struct slot *)(void *)private;
            if (result == CURLE_OK && status == 200 && slot->received == body) good++;
            first_bytes[ended++] = (double)first;
            slot->received = 0;
            (void)curl_multi_remove_handle(multi, handle);
            if (started < count && curl_multi_add_handle(multi, handle) == CURLM_OK) started++;
        }
        if (started == ended) break;
        (void)curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
out:
    if (slots != NULL) {
        for (size_t i = 0; i < connections; i++) {
            free(slots[i].body);
            if (slots[i].handle == NULL) continue;
            (void)curl_multi_remove_handle(multi, slots[i].handle);
            curl_easy_cleanup(slots[i].handle);
        }
    }
    free(slots);
    if (multi != NULL) (void)curl_multi_cleanup(multi);
    return count - good;
}
