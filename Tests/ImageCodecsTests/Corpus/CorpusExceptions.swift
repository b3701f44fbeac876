/// Files whose images differ from the reference, each with the reason.
enum CorpusExceptions {
    /// Files that the reference calls undecodable, but that give an image.
    static let shown: [String: String] = [
        "gif/corrupt/seed-afl-31586a3274.gif":
            "its only frame of 5x1 pixels is complete; the reference fails on the bytes after it, where browsers stop",
        "gif/corrupt/seed-afl-bd1f56b1fe.gif": "its first rows are decoded, and delivered only if partial images are allowed",
    ]

    /// Files whose reference has the stored numbers instead of the displayed colours.
    static let withoutOrientedReference: [String: String] = [
        "avif/irot-imir/gen-clap-160x120-center.avif":
            "the container shows a part, and the reference the whole image; CleanApertureTests compares the part"
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
        ].map { ($0, "PQ or HLG, whose codes the reference does not convert; HDRTests compares the colours") })

    /// Animations whose frames differ from the reference.
    static let animations: [String: String] = [
        "gif/still/pil-test_extents_transparency.gif":
            "browsers stop at the invalid bytes after its first frame; the reference searches for another frame after them"
    ]
}
