internal import Foundation
internal import HTTPTypes
internal import ImageCore

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Downloads by a `URLSession`. With a background configuration they run without the process; tests use another one.
final class BackgroundSession: BackgroundDownloading {
    private let session: URLSession
    private let makeRequest: @Sendable (DataRequest) -> URLRequest

    /// - Parameter transfers: gets the results of the downloads.
    init(
        _ settings: URLSessionConfiguration, reportingTo transfers: BackgroundTransfers,
        _ makeRequest: @escaping @Sendable (DataRequest) -> URLRequest
    ) {
        self.makeRequest = makeRequest
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        session = URLSession(configuration: settings, delegate: BackgroundDelegate(transfers), delegateQueue: queue)
    }

    func download(_ request: DataRequest, key: String) -> any BackgroundDownload {
        let task = session.downloadTask(with: makeRequest(request))
        // The description outlives the process with the task.
        task.taskDescription = key
        return task
    }

    func running() async -> [(key: String, download: any BackgroundDownload)] {
        let tasks = await withCheckedContinuation { found in session.getAllTasks { found.resume(returning: $0) } }
        return tasks.compactMap { task in
            guard let key = task.taskDescription, BackgroundRule.isKey(key) else { return nil }
            return (key, task)
        }
    }

    /// Cancels all downloads and releases the delegate. A background session is never ended, so that its downloads
    /// continue.
    func end() { session.invalidateAndCancel() }
}

extension URLSessionTask: BackgroundDownload {
    var number: Int { taskIdentifier }
}

/// Passes the session's reports on.
final class BackgroundDelegate: NSObject, URLSessionDownloadDelegate {
    private let transfers: BackgroundTransfers

    init(_ transfers: BackgroundTransfers) { self.transfers = transfers }

    private func source(_ task: URLSessionTask) -> String {
        task.originalRequest?.url.map { ImageSource.redacted($0) } ?? "An image"
    }

    func urlSession(
        _ session: URLSession, downloadTask task: URLSessionDownloadTask, didWriteData count: Int64,
        totalBytesWritten written: Int64, totalBytesExpectedToWrite expected: Int64
    ) {
        guard let key = task.taskDescription else { return }
        transfers.received(
            Int(clamping: written), announced: expected > 0 ? Int(clamping: expected) : nil, key, number: task.taskIdentifier,
            source: source(task))
    }

    func urlSession(_ session: URLSession, downloadTask task: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        guard let key = task.taskDescription else { return }
        guard let response = task.response as? HTTPURLResponse, let url = response.url else {
            let error = ImageError(.badResponse, message: "The server returned a malformed HTTP response to \(source(task)).")
            return transfers.failed(key, number: task.taskIdentifier, error)
        }
        let head = SessionTransfer.Head(url: url, response: SessionDelegate.head(of: response))
        transfers.finished(key, number: task.taskIdentifier, at: location.path, head, source: source(task))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        // Without an error the file was reported before.
        guard let key = task.taskDescription, let error else { return }
        let host = task.originalRequest?.url?.host() ?? ""
        transfers.failed(
            key, number: task.taskIdentifier, SessionDelegate.imageError(for: error, source: source(task), host: host))
    }

    #if canImport(Darwin)
        func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
            Task { @MainActor [transfers] in
                await transfers.flush()
                transfers.events.finish()
            }
        }
    #endif
}
