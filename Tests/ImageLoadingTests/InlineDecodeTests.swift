import CalotypeTesting
import Foundation
import ImageCore
import ImageLoading
import Testing

/// Where a decode runs: on a worker thread, or, where its decoder says that it is short, where the bytes are.
@Suite struct InlineDecodes {
    /// Tells the thread of every call, and calls a decode short or not.
    private struct TellingDecoder: Decoding {
        let isShort: Bool
        let picture = ScriptedDecoder()
        let threads = EventLog<ObjectIdentifier>()

        var formats: [ImageFormat] { picture.formats }
        func format(of head: Data) -> ImageFormat? { picture.format(of: head) }
        func info(of data: Data, limits: DecodingLimits) throws -> ImageInfo { try picture.info(of: data, limits: limits) }
        func decodesInline(_ data: Data, options: DecodeOptions) -> Bool { isShort }

        func decode(_ data: Data, options: DecodeOptions) throws -> DecodedImage {
            threads.append(thisThread())
            return try picture.decode(data, options: options)
        }
    }

    /// Loads a picture, and tells the thread that had its bytes and that of its decode.
    private func places(isShort: Bool, bytes: [UInt8] = [7]) async throws -> (bytes: ObjectIdentifier, decode: ObjectIdentifier) {
        let decoder = TellingDecoder(isShort: isShort)
        let loader = ImageLoader(ImageLoader.Configuration(dataLoader: ScriptedLoader { _ in .body(Data()) }, decoder: decoder))
        let sources = EventLog<ObjectIdentifier>()
        let request = ImageRequest(
            .producer(id: "picture") {
                sources.append(thisThread())
                return Data(bytes)
            })
        _ = try await loader.image(for: request)
        return (try #require(sources.events.first), try #require(decoder.threads.events.first))
    }

    @Test func aShortDecodeRunsWhereTheBytesAre() async throws {
        let (bytes, decode) = try await places(isShort: true)
        #expect(bytes == decode)
    }

    @Test func anyOtherDecodeRunsOnAWorker() async throws {
        let (bytes, decode) = try await places(isShort: false)
        #expect(bytes != decode)
    }

    @Test func aDecodeThatFailsThereFailsAsElsewhere() async throws {
        do {
            _ = try await places(isShort: true, bytes: [0xFF])
            Issue.record("A damaged picture was decoded.")
        } catch let failure as LoadFailure {
            #expect(failure.error?.code == .corrupt)
            #expect(failure.error?.stage == .decode)
        }
    }

    /// A fetch that ends lets the next one go; were that to begin at the end of the first, so many would fill the stack.
    @Test func manyInARowDoNotPileUp() async throws {
        let decoder = TellingDecoder(isShort: true)
        let loader = ImageLoader(
            ImageLoader.Configuration(dataLoader: ScriptedLoader { _ in .body(Data([7])) }, decoder: decoder))
        loader.isPaused = true
        let tasks = (0..<5_000).map { loader.task(for: ImageRequest(url: url("\($0)"))) }
        loader.isPaused = false
        for task in tasks { _ = try await task.response }
        #expect(decoder.threads.events.count == 5_000)
    }
}

private func thisThread() -> ObjectIdentifier { ObjectIdentifier(Thread.current) }
