// ComponentKit's protocol as a bridging header brings it to Swift. Compiled along with the example.
import CoreGraphics
import Dispatch
import Foundation

public protocol CKNetworkImageDownloading: NSObjectProtocol {
    func downloadImage(
        with url: URL?, caller: Any?, callbackQueue: DispatchQueue?, downloadProgressBlock: ((CGFloat) -> Void)?,
        completion: ((CGImage?, (any Error)?) -> Void)?
    ) -> Any?
    func cancelImageDownload(_ download: Any?)
}
