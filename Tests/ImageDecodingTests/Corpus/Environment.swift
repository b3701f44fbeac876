#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A variable of the process's environment.
func environment(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
}

func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
