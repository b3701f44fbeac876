import Calotype
import CoreGraphics
import Foundation

/// Loads the images of `CKNetworkImageComponent` with Calotype.
///
/// ComponentKit calls it on any thread. Completions are called on the queue that ComponentKit passes, or on the main
/// queue; not for a cancelled download.
@objc public final class CalotypeImageDownloader: NSObject, CKNetworkImageDownloading, Sendable {
    /// The downloader that uses ``ImageLoader/shared``.
    @objc public static let shared = CalotypeImageDownloader(loader: .shared)

    private let loader: ImageLoader

    /// Makes a downloader.
    ///
    /// - Parameter loader: loads the images.
    public init(loader: ImageLoader) { self.loader = loader }

    public func downloadImage(
        with url: URL?, caller: Any?, callbackQueue: DispatchQueue?, downloadProgressBlock: ((CGFloat) -> Void)?,
        completion: ((CGImage?, (any Error)?) -> Void)?
    ) -> Any? {
        let queue = callbackQueue ?? .main
        // because the blocks are only called on the queue that ComponentKit chose for them.
        nonisolated(unsafe) let (reportProgress, complete) = (downloadProgressBlock, completion)
        guard let url else {
            let error = ImageError(.invalidRequest, message: "The component has no URL to load. Set one.")
            queue.async { complete?(nil, error) }
            return nil
        }
        return loader.task(for: url) { event in
            switch event {
            case .progress(let progress):
                guard let fraction = progress.fraction else { return }
                queue.async { reportProgress?(fraction) }
            case .preview: break
            case .finished(.success(let response)): queue.async { complete?(response.image.bitmap.makeCGImage(), nil) }
            case .finished(.failure(.failed(let error))): queue.async { complete?(nil, error) }
            case .finished(.failure(.cancelled)): break
            }
        }
    }

    /// Cancels a download.
    ///
    /// - Parameter download: the result of
    ///   ``downloadImage(with:caller:callbackQueue:downloadProgressBlock:completion:)``.
    public func cancelImageDownload(_ download: Any?) { (download as? ImageTask)?.cancel() }
}
