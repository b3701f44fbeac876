internal import ImageCore

extension ImageFormat {
    /// The format that a file name's extension stands for, in any case; `nil` without an extension.
    init?(fileName: String) {
        let last = fileName.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        guard let dot = last.lastIndex(of: "."), dot > last.startIndex else { return nil }
        self.init(fileExtension: String(last[last.index(after: dot)...]))
    }

    /// The format that an extension stands for, in any case; `nil` for an empty extension.
    init?(fileExtension: String) {
        let name = fileExtension.lowercased()
        guard !name.isEmpty else { return nil }
        self = ImageFormat.jpeg.fileExtensions.contains(name) ? .jpeg : ImageFormat(rawValue: name)
    }

    /// The extension that files of the format usually have.
    var fileExtension: String { fileExtensions[0] }
}
