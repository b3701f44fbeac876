import Calotype
import CoreGraphics
import Foundation

/// Loads the images of `CKNetworkImageComponent` through Calotype.
///
/// ComponentKit calls it from any thread. Completions come on the queue that it names, or on the main one, and not at all for a
/// download that was cancelled.
@objc public final class CalotypeImageDownloader: NSObject, CKNetworkImageDownloading, Sendable {
    /// Of ``ImageLoader/shared``.
    @objc public static let shared = CalotypeImageDownloader(loader: .shared)

    private let loader: ImageLoader

    public init(loader: ImageLoader) { self.loader = loader }

    public func downloadImage(
        with url: URL?, caller: Any?, callbackQueue: DispatchQueue?, downloadProgressBlock: ((CGFloat) -> Void)?,
        completion: ((CGImage?, (any Error)?) -> Void)?
    ) -> Any? {
        let queue = callbackQueue ?? .main
        // because the blocks are called on one queue only, the one that ComponentKit chose for them.
        nonisolated(unsafe) let (progressed, completed) = (downloadProgressBlock, completion)
        guard let url else {
            let error = ImageError(.invalidRequest, message: "There is no URL to load an image from.")
            queue.async { completed?(nil, error) }
            return nil
        }
        return loader.load(ImageRequest(url: url)) { event in
            switch event {
            case .progress(let progress):
                guard let fraction = progress.fraction else { return }
                queue.async { progressed?(fraction) }
            case .preview: break
            case .finished(.success(let response)): queue.async { completed?(response.image.bitmap.makeCGImage(), nil) }
            case .finished(.failure(.failed(let error))): queue.async { completed?(nil, error) }
            case .finished(.failure(.cancelled)): break
            }
        }
    }

    /// - Parameter download: what ``downloadImage(with:caller:callbackQueue:downloadProgressBlock:completion:)`` returned.
    public func cancelImageDownload(_ download: Any?) { (download as? any LoadHandle)?.cancel() }
}
