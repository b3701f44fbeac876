import CalotypeTesting
import Dispatch
import Foundation
import ImageCore
import ImageTargets
import Testing

/// Targets that write bytes to a stream or a file.
@Suite(.timeLimit(.minutes(5))) struct WrittenImages {
    /// Encodes the first pixel. Encoding red 13 fails, and red 99 waits until the test signals `hold`.
    private struct FirstPixel: Encoding {
        var hold = DispatchSemaphore(value: 0)
        var isHeld = DispatchSemaphore(value: 0)
        var formats: [ImageFormat] { [.png] }
        func encode(_ image: DecodedImage, as format: ImageFormat, options: EncodeOptions) throws -> Data {
            let color = TestImages.color(of: image)
            guard color[0] != 13 else { throw ImageError(.unsupportedFeature, message: "Not this one.") }
            if color[0] == 99 {
                isHeld.signal()
                hold.wait()
            }
            return Data(color)
        }
    }

    private func preview(red: UInt8) throws -> DecodedImage {
        var preview = try TestImages.solid(red: red)
        preview.isPreview = true
        return preview
    }

    @Test(arguments: [false, true])
    func imagesAreWrittenInOrderAndPreviewsOnlyIfRequested(_ writesPreviews: Bool) async throws {
        let written = EventLog<UInt8>()
        let stream = StreamTarget(encoder: FirstPixel(), format: .png, writesPreviews: writesPreviews) { written.append($0[0]) }
        await stream.setPlaceholder(.color(red: 1, green: 1, blue: 1, alpha: 1))
        for red in [1, 2] { await stream.setImage(try preview(red: UInt8(red)), transition: .none) }
        await stream.setImage(try TestImages.solid(red: 3), transition: .none)
        #expect(written.events == (writesPreviews ? [1, 2, 3] : [3]))
    }

    @Test func anImageThatIsReplacedDuringEncodingIsNotWritten() async throws {
        let written = EventLog<UInt8>()
        let encoder = FirstPixel()
        let stream = StreamTarget(encoder: encoder, format: .png) { written.append($0[0]) }
        // Given an image that is being encoded,
        async let slow: Void = stream.setImage(try TestImages.solid(red: 99), transition: .none)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                encoder.isHeld.wait()
                continuation.resume()
            }
        }
        // when the target is cleared and another image is set,
        await stream.clear()
        async let next: Void = stream.setImage(try TestImages.solid(red: 5), transition: .none)
        encoder.hold.signal()
        // then only the second image is written.
        _ = try await (slow, next)
        #expect(written.events == [5])
    }

    @Test func theTargetKeepsAnErrorUntilAnImageIsWritten() async throws {
        let isFull = Lock(true)
        let stream = StreamTarget(encoder: FirstPixel(), format: .png) { _ in
            if isFull.withLock({ $0 }) { throw ImageError(.connectionLost, message: "The reader closed the connection.") }
        }
        await stream.setImage(try TestImages.solid(red: 13), transition: .none)
        #expect(await stream.error?.code == .unsupportedFeature)
        await stream.setImage(try TestImages.solid(red: 1), transition: .none)
        #expect(await stream.error?.code == .connectionLost)
        isFull.withLock { $0 = false }
        await stream.setImage(try TestImages.solid(red: 1), transition: .none)
        #expect(await stream.error == nil)
        await stream.setFailure(ImageError(.corrupt, message: "It is broken."))
        #expect(await stream.error?.code == .corrupt)
    }

    @Test func streamTargetsConform() async throws {
        let last = Lock(Data())
        let stream = StreamTarget(encoder: FirstPixel(), format: .png) { data in last.withLock { $0 = data } }
        try await checkImageViewAdapterConformance(of: stream, showsPlaceholders: false, canClear: false) { _ in
            ViewAppearance(color: last.withLock { Array($0) })
        }
    }

    @Test @MainActor func streamTargetsWriteTheRequestedImagesInRandomPrograms() async throws {
        final class Last: Sendable { let color = Lock([UInt8]()) }
        var streams: [ObjectIdentifier: Last] = [:]
        try await checkImageViewAdapterPrograms(
            programCount, canClear: false,
            makeView: { () -> StreamTarget in
                let last = Last()
                let stream = StreamTarget(encoder: FirstPixel(), format: .png) { data in last.color.withLock { $0 = Array(data) }
                }
                streams[ObjectIdentifier(stream)] = last
                return stream
            },
            appearance: { stream in ViewAppearance(color: streams[ObjectIdentifier(stream)]?.color.withLock { $0 } ?? []) })
    }

    @Test func theFileIsReplacedAtomicallyAndAFailureKeepsTheOldFile() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "out.png")
        let target = StreamTarget(file: file, encoder: FirstPixel(), format: .png)

        await target.setImage(try TestImages.solid(red: 7), transition: .none)
        #expect(try Data(contentsOf: file)[0] == 7)
        await target.setImage(try preview(red: 8), transition: .none)
        #expect(try Data(contentsOf: file)[0] == 7)
        await target.setImage(try TestImages.solid(red: 13), transition: .none)
        #expect(await target.error?.code == .unsupportedFeature)
        #expect(try Data(contentsOf: file)[0] == 7)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["out.png"])

        let lost = StreamTarget(file: folder.appending(path: "missing/out.png"), encoder: FirstPixel(), format: .png)
        await lost.setImage(try TestImages.solid(), transition: .none)
        #expect(await lost.error?.code == .fileUnwritable)
    }
}
