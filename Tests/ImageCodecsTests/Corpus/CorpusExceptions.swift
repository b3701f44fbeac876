/// Files that do not come out as the reference has it, each with the reason.
enum CorpusExceptions {
    /// Valid files that are refused.
    static let refused: [String: String] = [
        "gif/still/pil-issue_2811.gif": "giflib refuses LZW codes that begin with more than 8 bits, as GIF89a does (22)"
    ]

    /// Hopeless files that give an image.
    static let shown: [String: String] = [
        "gif/corrupt/seed-afl-31586a3274.gif":
            "its one frame of 5x1 pixels is whole; the reference fails on what follows it, browsers stop there",
        "gif/corrupt/seed-afl-bd1f56b1fe.gif": "its first rows decode, and come only where a part was asked for",
    ]

    /// Files of which the reference has the numbers stored, and those are not what is to be seen.
    static let withoutOrientedReference: [String: String] = [
        "avif/irot-imir/gen-clap-160x120-center.avif":
            "the container shows a part, the reference the whole; CleanApertureTests compares the part with that"
    ]
    static let withoutSRGBReference: [String: String] = Dictionary(
        uniqueKeysWithValues: [
            "avif/gainmap/lavif-color_grid_alpha_grid_gainmap_nogrid.avif",
            "avif/gainmap/lavif-color_nogrid_alpha_nogrid_gainmap_grid.avif",
            "avif/gainmap/lavif-seine_hdr_gainmap_srgb.avif",
            "avif/gainmap/lavif-unsupported_gainmap_minimum_version.avif",
            "avif/gainmap/lavif-unsupported_gainmap_writer_version_with_extra_bytes.avif", "avif/hdr/gen-hlg-10bit.avif",
            "avif/hdr/gen-pq-12bit-444.avif", "avif/hdr/lavif-colors_hdr_p3.avif", "avif/hdr/lavif-colors_hdr_srgb.avif",
            "avif/hdr/lavif-colors_text_hdr_rec2020.avif", "avif/hdr/lavif-colors_text_wcg_hdr_rec2020.avif",
            "avif/hdr/lavif-seine_hdr_rec2020.avif",
        ].map { ($0, "PQ or HLG, which the reference leaves as codes; HDRTests compares what they are shown as") })

    /// Animations.
    static let animations: [String: String] = [
        "gif/still/pil-test_extents_transparency.gif":
            "after its first frame there is garbage, where browsers stop; the reference looks for another frame behind it"
    ]
}
