internal import CCalotypeHeap
internal import ImageCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// What the process holds of memory, in bytes; 0 where the system does not tell.
struct Footprint {
    /// Allocated and not freed.
    var allocated: Int
    /// In pages of the machine's memory, what the allocator has given back left out.
    var resident: Int

    static var now: Footprint {
        calotype_heap_trim()
        let statm = (try? Data(contentsOf: URL(filePath: "/proc/self/statm"))).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let pages = statm.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return Footprint(allocated: Int(calotype_heap_bytes()), resident: pages * sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Takes what another look found to be less.
    mutating func lower(to other: Footprint) {
        (allocated, resident) = (min(allocated, other.allocated), min(resident, other.resident))
    }

    /// How much more than another one it is, as a share of that one.
    func growth(since start: Footprint) -> (allocated: Double, resident: Double) {
        func share(_ now: Int, _ then: Int) -> Double { then == 0 ? 0 : Double(now - then) / Double(then) }
        return (share(allocated, start.allocated), share(resident, start.resident))
    }
}
