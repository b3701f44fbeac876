/// How many redirects a network layer follows in one fetch.
package enum RedirectLimit {
    package static let standard = 10
}
