// What Swift sees of ComponentKit's header for downloads.
import CoreGraphics
import Foundation

public protocol CKNetworkImageDownloading: AnyObject {
    func downloadImage(
        with url: URL?, caller: Any?, callbackQueue: DispatchQueue?, downloadProgressBlock: ((CGFloat) -> Void)?,
        completion: ((CGImage?, (any Error)?) -> Void)?
    ) -> Any?
    func cancelImageDownload(_ download: Any?)
}
