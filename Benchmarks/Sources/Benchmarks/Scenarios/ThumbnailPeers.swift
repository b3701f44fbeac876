internal import Foundation

/// Other ways from the photos of a server to thumbnails: curl fetches them into a folder, and then a library makes the
/// thumbnails of the files on all processors.
struct ThumbnailPeers {
    enum Library: String, CaseIterable {
        case pillow = "Pillow"
        case libvips
    }

    /// A folder for the files.
    let folder: ScratchFolder

    /// Fetches photos, and returns the elapsed milliseconds, or `nil` without curl.
    func fetch(_ count: Int, from photos: PhotoServer) async throws -> Double? {
        // A range in brackets is one argument, however many files it names.
        let command = [
            "curl", "-sfZ", "--parallel-max", "6", photos.server.url("/photo-[0-\(count - 1)].jpg"), "-o",
            folder.file("photo-#1.jpg"),
        ]
        return try await blocking {
            let began = ContinuousClock.now
            guard let usage = try? ChildProcess(command).wait() else { return nil }
            guard usage.status == 0 else { throw ReportError(message: "curl failed with status \(usage.status).") }
            return (.now - began) / .milliseconds(1)
        }
    }

    /// Returns the milliseconds of the thumbnails of all fetched photos, without the start of Python, or `nil` when the
    /// library is not installed.
    func thumbnails(by library: Library, width: Int) async throws -> Double? {
        let script = Programs.project.appending(path: "Benchmarks/thumbnail-peers.py").path
        let output = folder.file("output")
        let threads = ProcessInfo.processInfo.activeProcessorCount
        return try await blocking {
            let command = [Programs.python, script, folder.path, "\(width)", "\(threads)", library.rawValue]
            guard let usage = try? ChildProcess(command, output: output).wait(), usage.status == 0 else { return nil }
            return Double(try String(contentsOfFile: output, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }
}
