internal import CCalotypeCurl

/// The start of libcurl, once per process.
enum CurlLibrary {
    static let isReady = calotype_curl_start() == CURLE_OK
}
