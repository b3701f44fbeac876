/// How many redirects a network layer follows in one load.
package enum RedirectLimit {
    package static let standard = 10
}
