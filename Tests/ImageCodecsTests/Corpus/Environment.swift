import CalotypeSystem

/// Returns an environment variable of the process.
func environment(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
}

/// Whether the process has a sanitizer's runtime, by its short name: `asan`, `tsan`.
func isSanitized(by sanitizer: String) -> Bool { unsafe dlsym(nil, "__\(sanitizer)_init") != nil }

/// Whether a file exists and has no bytes.
func isEmptyFile(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_size == 0
}

func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }
