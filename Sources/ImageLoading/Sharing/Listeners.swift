internal import ImageCore

/// How many loads, directly or through dependents, want progress and previews of work.
struct Listeners: Equatable, Sendable {
    var progress: Int32 = 0
    private var thumbnails: Int32 = 0
    private var previews: Int32 = 0

    init() {}

    init(_ options: SubscriberOptions) {
        progress = options.wantsProgress ? 1 : 0
        thumbnails = options.previews == .embeddedThumbnail ? 1 : 0
        previews = options.previews == .incremental ? 1 : 0
    }

    /// The most that one of them wants; `nil` when none wants previews.
    var previewPolicy: PreviewPolicy? {
        previews > 0 ? .incremental : thumbnails > 0 ? .embeddedThumbnail : nil
    }

    var isEmpty: Bool { progress == 0 && previews == 0 && thumbnails == 0 }

    static func += (a: inout Self, b: Self) {
        a.progress += b.progress
        a.thumbnails += b.thumbnails
        a.previews += b.previews
    }

    static func -= (a: inout Self, b: Self) {
        a.progress -= b.progress
        a.thumbnails -= b.thumbnails
        a.previews -= b.previews
    }
}
