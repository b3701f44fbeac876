internal import HTTPTypes
internal import ImageCore

/// A stored response of a URL whose responses vary, as far as requests of other variants need it.
struct StoredVariant: Hashable, Sendable {
    /// The digest of the request fields that `Vary` lists.
    let digest: String
    /// The strong entity tag, with its quotes.
    let tag: String

    /// Whether a 304 is about this variant, and not about the response that matches the request.
    func isNamed(by head: HTTPResponse, insteadOf match: StoredResponse?) -> Bool {
        guard let named = head.headerFields[.eTag].map(EntityTag.init) else { return false }
        return named.matchesWeakly(EntityTag(tag)) && match?.entityTag?.matchesWeakly(named) != true
    }
}

/// The list of a URL's variants in the data cache, under the variant `http variants`: the generation of the primary entry, and a line
/// for each secondary entry with its digest and entity tag. A list that is lost or outdated costs only preconditions.
struct VariantList: Hashable {
    /// The most variants of a URL that a request names; the oldest are dropped.
    static let maximumCount = 16
    /// Longer entity tags are not listed.
    private static let maximumTagBytes = 256

    let generation: String
    private(set) var variants: [StoredVariant] = []

    init(generation: String) { self.generation = generation }

    /// Reads a list; `nil` for anything else.
    init?(_ entry: DataEntry) {
        let lines = entry.data.split(separator: UInt8(ascii: "\n"), maxSplits: Self.maximumCount + 1).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard let generation = lines.first else { return nil }
        self.generation = generation
        for line in lines.dropFirst() {
            guard let space = line.firstIndex(of: " ") else { return nil }
            insert(digest: String(line[..<space]), tag: String(line[line.index(after: space)...]))
        }
    }

    /// Adds a variant, or replaces the one with the same digest. A weak entity tag, which may be common to different bodies, only
    /// removes the variant.
    mutating func insert(digest: String, tag: String?) {
        variants.removeAll { $0.digest == digest }
        guard let tag, Self.isListed(tag) else { return }
        variants.append(StoredVariant(digest: digest, tag: tag))
        if variants.count > Self.maximumCount { variants.removeFirst() }
    }

    /// Whether the tag is strong and well-formed (RFC 9110, section 8.8.3).
    static func isListed(_ tag: String) -> Bool {
        let bytes = tag.utf8
        return (2...maximumTagBytes).contains(bytes.count) && bytes.first == UInt8(ascii: "\"")
            && bytes.last == UInt8(ascii: "\"")
            && bytes.dropFirst().dropLast().allSatisfy { $0 == 0x21 || 0x23...0x7E ~= $0 }
    }

    func entry(storedAt: Double) -> DataEntry {
        let text = ([generation] + variants.map { "\($0.digest) \($0.tag)" }).joined(separator: "\n")
        return DataEntry(data: Data(text.utf8), head: HTTPResponse(status: .ok), storedAt: storedAt)
    }
}
