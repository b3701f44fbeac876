internal import ImageCore

/// Why an entry leaves a memory cache.
enum EvictionCause: Sendable {
    case overLimit, expired, trim, removed
}

extension CacheStatistics.Evictions {
    mutating func count(_ cause: EvictionCause) {
        switch cause {
        case .overLimit: overLimit += 1
        case .expired: expired += 1
        case .trim: trimmed += 1
        case .removed: removed += 1
        }
    }
}
