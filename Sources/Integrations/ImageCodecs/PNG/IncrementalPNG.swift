import CCalotypePNG
public import ImageCore
import ImageDecoding

extension PNGDecoder: IncrementalDecoding {
    /// Previews the rows so far, or for an interlaced file the whole image at increasing detail. An animation with a separate
    /// default image has no previews.
    public func makeIncrementalDecoder(for head: Data, options: DecodeOptions) throws -> (any IncrementalDecoder)? {
        guard format(of: head) != nil else { return nil }
        return options.frame == 0 ? try IncrementalPNG(options: options) : CollectingDecoder(self, options: options)
    }
}

/// Decodes a PNG that arrives in pieces.
// @unchecked because the protocol guarantees that one thread at a time calls it.
@safe final class IncrementalPNG: IncrementalDecoder, @unchecked Sendable {
    private let handle: OpaquePointer
    private let options: DecodeOptions
    private var canvas: IncrementalCanvas?
    private var passes = 1
    private var chunks: PNGMetadataCollector
    /// Finds the ends of chunks. Bytes after the chunk with the last row do not count, but its checksum does.
    private var walk = PNGChunkWalk()
    private var isChecked = false
    /// The file up to its pixels, in case these are a separate default image.
    private var head = Data()
    /// Decodes the complete file at the end, if the pixels in `IDAT` are not the image to show.
    private var collector: CollectingDecoder?
    /// The number of decoded rows at the last preview.
    private var lastPreviewed = 0

    init(options: DecodeOptions) throws(ImageError) {
        guard let handle = unsafe clt_png_pusher_create(options.limits.metadataBytes) else { throw .outOfMemory(.png) }
        unsafe self.handle = handle
        self.options = options
        chunks = PNGMetadataCollector(limits: options.limits)
    }

    deinit { unsafe clt_png_pusher_destroy(handle) }

    func append(_ chunk: Data) throws {
        try options.checkCancellation()
        if let collector { return try collector.append(chunk) }
        chunks.append(chunk)
        if canvas == nil {
            head.append(chunk)
            if chunks.metadata.hasSeparateDefault { return try collect() }
        }
        // Small pieces let a cancelled decode stop soon.
        var rest = chunk
        while !rest.isEmpty, !isChecked {
            let piece = rest.prefix(min(1 << 16, walk.bytesToBoundary))
            try supply(piece)
            walk.pass(piece)
            isChecked = unsafe walk.isBetweenChunks && clt_png_pusher_is_finished(handle)
            rest = rest.dropFirst(piece.count)
            try options.checkCancellation()
        }
    }

    private func collect() throws {
        let collector = CollectingDecoder(PNGDecoder(), options: options)
        try collector.append(head)
        head = Data()
        self.collector = collector
    }

    private func supply(_ bytes: Data) throws(ImageError) {
        let status = unsafe bytes.withUnsafeBytes { bytes in
            unsafe clt_png_pusher_supply(handle, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
        }
        try check(status)
        if canvas == nil, try begin() { try check(unsafe clt_png_pusher_supply(handle, nil, 0)) }
        guard let canvas else { return }
        canvas.available = unsafe Int(clt_png_pusher_rows(handle))
    }

    /// Sets the target of rows after the header has arrived.
    private func begin() throws(ImageError) -> Bool {
        var (header, layout, passes) = (clt_png_header(), CLT_PNG_RGBA8, Int32(1))
        guard unsafe clt_png_pusher_header(handle, &header, &layout, &passes) else { return false }
        self.passes = Int(passes)
        let metadata = chunks.metadata
        try options.checkFrame(of: max(1, metadata.frames))
        let size = PixelSize(width: Int(header.width), height: Int(header.height))
        var stored = StoredImage(format: .png, size: size, layout: PNGReader.layout(layout))
        stored.hasAlpha = header.has_alpha_channel || header.has_transparent_color
        stored.profile = metadata.profile(embedded: profile)
        stored.orientation = options.applied(metadata.orientation)
        let canvas = try IncrementalCanvas(stored, options: options)
        self.canvas = canvas
        head = Data()
        unsafe clt_png_pusher_set_target(handle, canvas.rows.base.assumingMemoryBound(to: UInt8.self), canvas.rows.stride)
        return true
    }

    /// The number of rows that libpng has decoded, in all passes.
    var rowsDecoded: Int { unsafe Int(clamping: clt_png_pusher_rows_seen(handle)) }

    func preview() throws -> DecodedImage? {
        guard let canvas, rowsDecoded > lastPreviewed else { return nil }
        lastPreviewed = rowsDecoded
        return try canvas.preview(options)
    }

    func finish() throws -> DecodedImage {
        if let collector { return try collector.finish() }
        guard let canvas else { throw ImageError.truncated(.png) }
        let failure: ImageError? = isChecked ? nil : .truncated(.png)
        // Exif may follow the pixels.
        let orientation = options.applied(chunks.metadata.orientation)
        return try canvas.final(options, failure: failure, orientation: orientation)
    }

    private var profile: Data? {
        var (bytes, count) = unsafe (UnsafePointer<UInt8>?.none, 0)
        guard unsafe clt_png_pusher_profile(handle, &bytes, &count), let bytes = unsafe bytes else { return nil }
        return unsafe Data(bytes: bytes, count: count)
    }

    private func check(_ status: clt_png_status) throws(ImageError) {
        if status == CLT_PNG_OK { return }
        if status == CLT_PNG_NO_MEMORY { throw .outOfMemory(.png) }
        throw ImageError(
            .corrupt, message: "The PNG file is damaged: \(unsafe String(cString: clt_png_pusher_message(handle))).")
    }
}

/// Finds the ends of the chunks of a PNG that arrives in pieces.
struct PNGChunkWalk {
    /// The number of bytes to the end of the chunk or of the signature.
    private var rest = PNGChunks.signature.count
    private var header = Data()

    var isBetweenChunks: Bool { rest == 0 && header.isEmpty }

    /// The number of bytes that the next call may pass.
    var bytesToBoundary: Int { rest > 0 ? rest : 8 - header.count }

    /// - Parameter bytes: At most ``bytesToBoundary``.
    mutating func pass(_ bytes: Data) {
        guard rest == 0 else {
            rest -= min(rest, bytes.count)
            return
        }
        header.append(bytes)
        guard header.count >= 8, let length = ByteReader(header).uint32(at: 0, bigEndian: true) else { return }
        (rest, header) = (length + 4, Data())
    }
}

/// Collects the properties of a PNG that arrives in pieces. It holds at most one chunk of the file.
struct PNGMetadataCollector {
    private(set) var metadata: PNGMetadata
    /// The beginning of a chunk: its length, its type, and its content if that is needed.
    private var pending = Data()
    /// The number of bytes of the chunk that are needed.
    private var neededCount = 8
    /// The number of following bytes to skip.
    private var skip = PNGChunks.signature.count

    init(limits: DecodingLimits) { metadata = PNGMetadata(limits: limits) }

    mutating func append(_ bytes: Data) {
        var rest = bytes
        while !rest.isEmpty {
            let skipped = min(skip, rest.count)
            skip -= skipped
            rest = rest.dropFirst(skipped)
            let piece = rest.prefix(neededCount - pending.count)
            pending.append(piece)
            rest = rest.dropFirst(piece.count)
            if pending.count == neededCount { readPending() }
        }
    }

    /// Reads the header of a chunk, or its content if that is needed.
    private mutating func readPending() {
        let head = ByteReader(pending)
        guard let length = head.uint32(at: 0, bigEndian: true), let name = head.bytes(at: 4, count: 4) else { return }
        let type = String(decoding: name, as: UTF8.self)
        if metadata.reads(type, byteCount: length) {
            neededCount = 8 + length
            guard pending.count == neededCount else { return }
            metadata.read(type, pending.dropFirst(8))
            skip = 4
        } else {
            metadata.pass(type)
            skip = length + 4
        }
        (pending, neededCount) = (Data(), 8)
    }
}
