/// Files that do not come out as the reference has it, each with the reason.
enum CorpusExceptions {
    /// Valid files that are refused.
    static let refused: [String: String] = [
        "gif/still/pil-issue_2811.gif": "giflib refuses LZW codes that begin with more than 8 bits, as GIF89a does (22)"
    ]

    /// Hopeless files that give a picture.
    static let shown: [String: String] = [
        "gif/corrupt/seed-afl-31586a3274.gif":
            "its one frame of 5x1 pixels is whole; the reference fails on what follows it, browsers stop there",
        "gif/corrupt/seed-afl-bd1f56b1fe.gif": "its first rows decode, and come only where a part was asked for",
    ]

    /// Animations.
    static let animations: [String: String] = [
        "gif/still/pil-test_extents_transparency.gif":
            "after its first frame there is garbage, where browsers stop; the reference looks for another frame behind it"
    ]
}
