import Calotype
import Foundation

/// The same image, loaded in several ways one after the other.
package enum Comparison {
    /// What is loaded.
    package enum Case: String, CaseIterable, Sendable {
        case cold = "Photo, cold"
        case warm = "Photo, warm"
        case progressive = "Progressive, slow network"
        case animated = "Animation"
        case broken = "Broken file"

        package var path: String {
            switch self {
            case .cold, .warm: "/photo.jpg"
            case .progressive: "/progressive.jpg"
            case .animated: "/animation.webp"
            case .broken: "/broken.jpg"
            }
        }
    }

    /// Who loads it.
    package enum Subject: String, CaseIterable, Sendable {
        case view = "Calotype in GTK"
        case terminal = "Calotype in a terminal"
        case bytes = "Calotype, plain bytes"
        case texture = "GTK’s own loader"
        case pixbuf = "gdk-pixbuf"
    }

    /// What was measured.
    package struct Figures: Sendable {
        /// The times from the start to the first preview and to the image.
        package var preview: Duration?, image: Duration?
        /// The bytes of the decoded image, or of what is kept in its place.
        package var memory: Int?
        package var tier: CacheTier?
        /// The bytes of the encoded image.
        package var bytes: Int?
        package var failure: String?

        package init() {}

        /// Names and values, for a table.
        package var rows: [(name: String, value: String)] {
            [
                ("First preview", preview.map(Format.time) ?? "–"), ("Image", image.map(Format.time) ?? "–"),
                ("Memory", memory.map(Format.bytes) ?? "–"), ("Tier", tier?.rawValue ?? "–"),
                ("Encoded", bytes.map(Format.bytes) ?? "–"),
            ]
        }
    }

    /// Draws an image as half blocks, as `calotype show` does in most terminals, with each preview.
    @MainActor package static func drawInTerminal(
        _ lab: Laboratory, _ kind: Case, draw: (TerminalScreen) -> Void
    ) async -> Figures {
        let blocks = HalfBlocks(columns: TerminalScreen.columns, rows: TerminalScreen.rows)
        var request = ImageRequest(url: lab.server.url(kind.path), size: blocks.targetSize)
        request.options.previews = .incremental
        var figures = Figures()
        let start = ContinuousClock.now
        for await event in lab.loader.task(for: request).events {
            switch event {
            case .progress: break
            case .preview(let image):
                draw(TerminalScreen(blocks.lines(image.bitmap)))
                figures.preview = figures.preview ?? ContinuousClock.now - start
            case .finished(.success(let response)):
                let lines = blocks.lines(response.image.bitmap)
                draw(TerminalScreen(lines))
                figures.image = ContinuousClock.now - start
                figures.memory = lines.reduce(0) { $0 + $1.utf8.count }
                figures.tier = response.tier
                // A hit in the memory cache does not know the encoded bytes.
                if response.tier != .memory { figures.bytes = response.metrics.byteCount }
            case .finished(.failure(let failure)): figures.failure = Format.sentence(failure)
            }
        }
        return figures
    }

    /// Loads the encoded bytes, and decodes nothing.
    @MainActor package static func loadBytes(_ lab: Laboratory, _ kind: Case) async -> (Figures, Data) {
        let request = ImageRequest(url: lab.server.url(kind.path))
        var figures = Figures()
        do {
            let isStored = try await lab.loader.cache.data(for: request) != nil
            let start = ContinuousClock.now
            let data = try await lab.loader.data(for: request).data
            figures.image = ContinuousClock.now - start
            (figures.memory, figures.bytes, figures.tier) = (data.count, data.count, isStored ? .disk : .network)
            return (figures, data)
        } catch {
            figures.failure = Format.sentence(error)
            return (figures, Data())
        }
    }

    /// Fetches the bytes for a loader that fetches none itself, past all caches.
    package static func fetch(_ url: URL, onChunk: @MainActor (Data) throws -> Void) async throws -> Int {
        var count = 0
        for try await chunk in try await CurlLoader().load(DataRequest(url: url)).body {
            count += chunk.count
            try await onChunk(chunk)
        }
        return count
    }
}

/// Numbers and errors as text.
package enum Format {
    package static func time(_ time: Duration) -> String {
        let milliseconds = time / .milliseconds(1)
        if milliseconds >= 1_000 { return String(format: "%.2f s", milliseconds / 1_000) }
        return String(format: milliseconds < 10 ? "%.1f ms" : "%.0f ms", milliseconds)
    }

    package static func bytes(_ count: Int) -> String {
        switch count {
        case ..<1_000: "\(count) B"
        case ..<1_000_000: String(format: "%.0f kB", Double(count) / 1e3)
        default: String(format: count < 100_000_000 ? "%.1f MB" : "%.0f MB", Double(count) / 1e6)
        }
    }

    /// The sentence for the user that an error has.
    package static func sentence(_ error: any Error) -> String {
        switch error {
        case LoadFailure.failed(let error): error.message
        case LoadFailure.cancelled: "The load was cancelled."
        case let error as ImageError: error.message
        default: "\(error)"
        }
    }
}
