// Re-exports the C library of the platform. Other modules import `CalotypeSystem`, so that only this file names C
// libraries.
#if canImport(Darwin)
    @_exported public import Darwin
#elseif canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Musl)
    @_exported public import Musl
#elseif canImport(Android)
    @_exported public import Android
#endif

/// Declarations whose types differ between C libraries. Callers need no `#if`.
package enum CLibrary {
    #if canImport(Glibc)
        /// Glibc declares the socket types as a C enumeration, the other libraries as macros.
        package static var streamSocket: Int32 { Int32(SOCK_STREAM.rawValue) }

        package static func getAddressSpaceLimit(_ limit: inout rlimit) -> Int32 {
            unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
        }

        package static func handler(of action: sigaction) -> __sighandler_t? {
            unsafe action.__sigaction_handler.sa_handler
        }
    #elseif canImport(Darwin)
        package static var streamSocket: Int32 { SOCK_STREAM }

        package static func handler(of action: sigaction) -> (@convention(c) (Int32) -> Void)? {
            unsafe action.__sigaction_u.__sa_handler
        }
    #else
        package static var streamSocket: Int32 { SOCK_STREAM }

        package static func getAddressSpaceLimit(_ limit: inout rlimit) -> Int32 { unsafe getrlimit(RLIMIT_AS, &limit) }

        package static func handler(of action: sigaction) -> (@convention(c) (Int32) -> Void)? {
            unsafe action.__sa_handler.sa_handler
        }
    #endif

    /// Calls `accept`, whose name methods of the same name hide.
    package static func acceptConnection(_ listener: Int32) -> Int32 { accept(listener, nil, nil) }

    #if canImport(Darwin) || canImport(Musl)
        /// The handle of a thread before `pthread_create` sets it. Darwin and Musl declare it as a pointer, the others
        /// as a number.
        @safe static var noThread: pthread_t? { nil }
    #else
        static var noThread: pthread_t { pthread_t() }
    #endif
}
