// The system's C library as far as it is not what every Unix has.
@_exported public import Glibc

public func sysctlbyname(
    _ name: UnsafePointer<CChar>, _ value: UnsafeMutableRawPointer?, _ size: UnsafeMutablePointer<Int>?,
    _ newValue: UnsafeMutableRawPointer?, _ newSize: Int
) -> Int32 { -1 }
