#ifdef __linux__
#include "Late.h"

#include <curl/curl.h>
// The functions are meant, not the macros that check their arguments.
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt

#define CURL(result, name, parameters, arguments) LATE("libcurl.so.4", result, name, parameters, arguments)

CURL(
    CURLcode, curl_global_init_mem,
    (long flags, curl_malloc_callback take, curl_free_callback give, curl_realloc_callback resize,
     curl_strdup_callback copy, curl_calloc_callback take_zeroed),
    (flags, take, give, resize, copy, take_zeroed))
CURL(void, curl_free, (void *memory), (memory))
CURL(struct curl_slist *, curl_slist_append, (struct curl_slist * list, const char *line), (list, line))
CURL(void, curl_slist_free_all, (struct curl_slist * list), (list))

CURL(void *, curl_easy_init, (void), ())
CURL(void, curl_easy_cleanup, (void *easy), (easy))
CURL(void, curl_easy_reset, (void *easy), (easy))
CURL(CURLcode, curl_easy_pause, (void *easy, int what), (easy, what))

CURL(void *, curl_multi_init, (void), ())
CURL(CURLMcode, curl_multi_cleanup, (void *multi), (multi))
CURL(CURLMcode, curl_multi_add_handle, (void *multi, void *easy), (multi, easy))
CURL(CURLMcode, curl_multi_remove_handle, (void *multi, void *easy), (multi, easy))
CURL(CURLMsg *, curl_multi_info_read, (void *multi, int *left), (multi, left))
CURL(CURLMcode, curl_multi_perform, (void *multi, int *running), (multi, running))
CURL(CURLMcode, curl_multi_wakeup, (void *multi), (multi))
CURL(
    CURLMcode, curl_multi_poll,
    (void *multi, struct curl_waitfd descriptors[], unsigned int count, int milliseconds, int *ready),
    (multi, descriptors, count, milliseconds, ready))
CURL(
    CURLMcode, curl_multi_socket_action, (void *multi, curl_socket_t socket, int what, int *running),
    (multi, socket, what, running))

CURL(CURLU *, curl_url, (void), ())
CURL(void, curl_url_cleanup, (CURLU * url), (url))
CURL(CURLUcode, curl_url_get, (CURLU * url, CURLUPart part, char **text, unsigned int flags), (url, part, text, flags))
CURL(CURLUcode, curl_url_set, (CURLU * url, CURLUPart part, const char *text, unsigned int flags), (url, part, text, flags))

// An option has one argument: a long, an offset or a pointer, which Linux passes alike where they are of one size. What stands
// in takes it as any other, because Linux passes it alike also where a function may have more: to fetch it from such a list
// costs more than what many of these calls do.
_Static_assert(sizeof(long) == sizeof(void *) && sizeof(curl_off_t) == sizeof(void *), "passed alike");

CURL(CURLcode, curl_easy_setopt, (void *easy, CURLoption option, void *argument), (easy, option, argument))
CURL(CURLcode, curl_easy_getinfo, (void *easy, CURLINFO info, void *argument), (easy, info, argument))
CURL(CURLMcode, curl_multi_setopt, (void *multi, CURLMoption option, void *argument), (multi, option, argument))
#endif
