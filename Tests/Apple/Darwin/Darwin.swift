// The system's C library as far as it is not what every Unix has.
@_exported public import Glibc

public func sysctlbyname(
    _ name: UnsafePointer<CChar>, _ value: UnsafeMutableRawPointer?, _ size: UnsafeMutablePointer<Int>?,
    _ newValue: UnsafeMutableRawPointer?, _ newSize: Int
) -> Int32 { -1 }

// A thread is a pointer, which is missing until there is one.
public typealias pthread_t = OpaquePointer

public func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t?>, _ attributes: UnsafePointer<pthread_attr_t>?,
    _ start: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?, _ argument: UnsafeMutableRawPointer?
) -> Int32 { EAGAIN }
