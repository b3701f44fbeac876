import CZlib
import Foundation

/// Reads an entry from front to back, and checks its length and its checksum. For one thread at a time.
final class EntryReader {
    private let (archive, entry): (Archive, Archive.Entry)
    /// What is left of the data.
    private var rest: Range<Int>
    private var (byteCount, checksum, hasEnded) = (0, UInt(0), false)
    /// zlib keeps its address.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

    init(_ entry: Archive.Entry, of archive: Archive) throws {
        (self.archive, self.entry, rest) = (archive, entry, entry.range)
        stream.initialize(to: z_stream())
        // A negative number means data without the header of zlib (RFC 1951).
        guard inflateInit2_(stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw archive.error(.tooLarge, "cannot be read: there is not enough memory")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// The next bytes of the entry, maybe none; `nil` at the end. At most its announced length comes, whatever the data
    /// inflates to.
    func next() throws -> Data? {
        guard !hasEnded else { return nil }
        var input = try archive.read(min(rest.count, 64 << 10), at: rest.lowerBound)
        let output = entry.isStored ? input : try inflated(&input)
        // Input for which the output had no room is read again.
        rest = rest.dropFirst(input.count)
        if entry.isStored { hasEnded = rest.isEmpty }
        (byteCount, checksum) = (byteCount + output.count, crc32(checksum, output, UInt32(output.count)))
        guard hasEnded ? byteCount == entry.byteCount && checksum == entry.checksum : byteCount <= entry.byteCount else {
            throw archive.error(.corrupt, "has this entry with another length or checksum than it says")
        }
        return Data(output)
    }

    /// Inflates until the input is used or 256 KB are full, and removes what is not used from the input.
    private func inflated(_ input: inout [UInt8]) throws -> [UInt8] {
        var status = Z_OK
        let output = [UInt8](unsafeUninitializedCapacity: 256 << 10) { output, count in
            input.withUnsafeMutableBufferPointer { input in
                (stream.pointee.next_in, stream.pointee.avail_in) = (input.baseAddress, UInt32(input.count))
                (stream.pointee.next_out, stream.pointee.avail_out) = (output.baseAddress, UInt32(output.count))
                status = inflate(stream, Z_NO_FLUSH)
            }
            count = output.count - Int(stream.pointee.avail_out)
        }
        input.removeLast(Int(stream.pointee.avail_in))
        hasEnded = status == Z_STREAM_END
        guard hasEnded || status == Z_OK else { throw archive.error(.corrupt, "has damaged data for this entry") }
        return output
    }
}
