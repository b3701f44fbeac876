/// How many redirects a network layer follows in one fetch.
package enum RedirectLimit {
    package static let standard = 10
    /// The end of a message when a redirect set a cookie that was not kept.
    package static let cookieHint = " The last redirect sets a cookie, which is not kept; try transport.storesCookies = true."
}
