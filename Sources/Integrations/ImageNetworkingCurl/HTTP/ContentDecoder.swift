internal import CCalotypeLibZ
internal import ImageCore

/// Undoes the content codings gzip and deflate of a body while it arrives (RFC 9110, section 8.4.1; RFC 1950 to 1952).
///
/// libcurl could, but takes coded data that ends early for a whole body, and reads only the first member of gzip. For
/// the loop's thread alone.
@safe final class ContentDecoder {
    /// The most codings of one body, as in libcurl.
    static let maximumCodings = 5
    private static let outputSize = 64 << 10

    private let isGzip: Bool
    /// Undoes the coding that was applied before this one.
    private let next: ContentDecoder?
    /// zlib keeps its address.
    private let stream: UnsafeMutablePointer<z_stream>
    private let output: UnsafeMutablePointer<UInt8>
    private var isOpen = false
    /// Whether the last byte so far was the end of coded data.
    private var hasEnded = false

    /// Creates a decoder.
    ///
    /// - Parameter codings: names of codings, in the order in which they were applied.
    /// - Returns: `nil` where there is another one than gzip and deflate, or none.
    init?(_ codings: some BidirectionalCollection<String>) {
        guard let last = codings.last else { return nil }
        isGzip = last != "deflate"
        next = ContentDecoder(codings.dropLast())
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        unsafe output = .allocate(capacity: Self.outputSize)
        guard !isGzip || last == "gzip" || last == "x-gzip", codings.count == 1 || next != nil else { return nil }
    }

    deinit {
        if isOpen { unsafe inflateEnd(stream) }
        unsafe stream.deallocate()
        unsafe output.deallocate()
    }

    /// Whether the coded data is complete. A body without any bytes is.
    var isComplete: Bool { !isOpen || (hasEnded && next?.isComplete != false) }

    /// Decodes the next bytes.
    ///
    /// - Parameter receive: gets decoded bytes; returns `false` to stop.
    /// - Returns: whether the data is valid so far and all of it was received.
    func decode(_ bytes: UnsafeRawBufferPointer, _ receive: (UnsafeRawBufferPointer) -> Bool) -> Bool {
        guard let first = unsafe bytes.first, isOpen || open(first) else { return unsafe bytes.isEmpty }
        unsafe stream.pointee.next_in = unsafe UnsafeMutablePointer(
            mutating: bytes.assumingMemoryBound(to: UInt8.self).baseAddress)
        unsafe stream.pointee.avail_in = UInt32(bytes.count)
        repeat {
            // Members of gzip may follow each other (RFC 1952, section 2.2).
            if hasEnded {
                let isReset = unsafe inflateReset(stream) == Z_OK
                guard isGzip, isReset else { return false }
            }
            unsafe stream.pointee.next_out = output
            unsafe stream.pointee.avail_out = UInt32(Self.outputSize)
            let status = unsafe inflate(stream, Z_NO_FLUSH)
            // Without room or input there is no progress, which is no error.
            guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else { return false }
            hasEnded = status == Z_STREAM_END
            let decoded = unsafe UnsafeRawBufferPointer(start: output, count: Self.outputSize - Int(stream.pointee.avail_out))
            guard unsafe decoded.isEmpty || (next?.decode(decoded, receive) ?? receive(decoded)) else { return false }
        } while unsafe stream.pointee.avail_in > 0 || (stream.pointee.avail_out == 0 && !hasEnded)
        return true
    }

    /// Some servers send deflate without the header of zlib, whose first byte has an 8 in its lower half.
    private func open(_ first: UInt8) -> Bool {
        let window: Int32 = isGzip ? 16 + MAX_WBITS : first & 0xF == 8 ? MAX_WBITS : -MAX_WBITS
        isOpen = unsafe inflateInit2_(stream, window, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        return isOpen
    }
}
