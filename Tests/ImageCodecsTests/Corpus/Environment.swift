import CalotypeSystem

/// A variable of the process's environment.
func environment(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
}

/// Whether a sanitizer's runtime is in this process, by its short name: `asan`, `tsan`.
func isSanitized(by sanitizer: String) -> Bool { unsafe dlsym(nil, "__\(sanitizer)_init") != nil }

/// Whether there is a file without a byte.
func isEmptyFile(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_size == 0
}

func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
