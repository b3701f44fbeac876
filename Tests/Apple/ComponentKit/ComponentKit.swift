// ComponentKit's protocol as a bridging header imports it into Swift. Compiled with the example.
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
