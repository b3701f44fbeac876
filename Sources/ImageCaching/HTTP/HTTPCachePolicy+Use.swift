internal import HTTPTypes
internal import ImageCore

// The steps of a decision: select the bytes of the stored response, and check whether it may be reused.
extension HTTPCachePolicy {
    enum Content: Hashable {
        case whole
        /// Positions within the whole body.
        case part(Range<Int>, total: Int?)
    }

    enum Reuse: Hashable {
        case serve, serveAndValidate, validate
    }

    /// The content of a stored response for a request (RFC 9110, section 14; RFC 9111, section 3.3); `nil` if the stored part does
    /// not include the requested bytes.
    func content(from response: StoredResponse, to request: DataRequest) -> Content? {
        let isPart = response.head.status == .partialContent
        guard let field = request.headerFields[.range], request.method == .get, isPart || response.head.status == .ok else {
            return isPart ? nil : .whole
        }
        let held = response.part?.positions ?? 0..<response.byteCount
        let total = isPart ? response.part?.total : response.byteCount
        // A range of another version asks for the whole body (section 13.1.5).
        if let version = request.headerFields[.ifRange], version != response.strongValidator { return isPart ? nil : .whole }
        guard let range = RangeRequest(field) else { return nil }
        let positions: Range<Int>?
        if let total {
            positions = range.positions(inTotal: total)
        } else if case .from(let first, let last?) = range, last < Int.max {
            positions = first..<last + 1
        } else {
            positions = nil
        }
        guard let positions, held.lowerBound <= positions.lowerBound, positions.upperBound <= held.upperBound else { return nil }
        return .part(positions, total: total)
    }

    /// Whether a response may be reused (RFC 9111, section 4).
    func reuse(of response: StoredResponse, _ directives: RequestDirectives, at now: Double) -> Reuse {
        let wanted = directives.control
        if wanted.noCache { return .validate }
        if mode == .aggressive { return .serve }
        if response.control.noCache || response.redirect != nil { return .validate }
        let age = response.age(at: now)
        let lifetime = response.lifetime(under: self)
        let isFresh = lifetime > age
        // A reload sends `max-age=0`; a fresh immutable response is not validated even then (RFC 8246).
        if let maxAge = wanted.maxAge, maxAge == 0 || age > Double(maxAge), !(isFresh && response.control.immutable) {
            return .validate
        }
        if let minFresh = wanted.minFresh, lifetime - age < Double(minFresh) { return .validate }
        if isFresh { return .serve }
        if response.control.mustRevalidate { return .validate }
        let staleness = age - lifetime
        if let maxStale = wanted.maxStale, maxStale == .max || staleness <= Double(maxStale) { return .serve }
        if let window = response.control.staleWhileRevalidate, staleness < Double(window) { return .serveAndValidate }
        return .validate
    }

    func reply(_ content: Content, from response: StoredResponse, to request: DataRequest, at now: Double) -> HTTPCacheReply {
        let age = Int(min(response.age(at: now), Double(CacheControl.maximumSeconds)))
        var head = response.head
        head.headerFields[.age] = String(age)
        var bytes = 0..<response.byteCount
        switch content {
        case .whole:
            if Precondition.isUnmodified(response, since: request.headerFields) {
                head = Precondition.notModified(head)
                bytes = 0..<0
            }
        case .part(let positions, let total):
            let start = response.part?.positions.lowerBound ?? 0
            bytes = positions.lowerBound - start..<positions.upperBound - start
            head.status = .partialContent
            head.headerFields[.contentRange] = ContentRange(positions: positions, total: total).text
            head.headerFields[.contentLength] = String(positions.count)
        }
        if request.method == .head { bytes = 0..<0 }
        return HTTPCacheReply(age: age, head: head, bytes: bytes)
    }

    /// A validation that also names the entity tags of other stored variants (RFC 9111, section 4.1), so that a 304 can name the one
    /// that the server selects for the request. Preconditions of the caller are left alone.
    ///
    /// - Parameters:
    ///   - validation: the validation of the matching response; `nil` if there is none.
    ///   - tags: the strong entity tags of the other variants.
    func validation(
        _ validation: HTTPCacheValidation?, namingVariants tags: [String], for request: DataRequest
    ) -> HTTPCacheValidation? {
        let fields = request.headerFields
        guard !tags.isEmpty, mode != .off, request.method == .get, !RequestDirectives(request).bypasses,
            !fields.contains(.range), !Precondition.isConditional(fields)
        else { return validation }
        guard var validation else {
            var fields = fields
            fields[.ifNoneMatch] = tags.joined(separator: ", ")
            return HTTPCacheValidation(kind: .conditional, headerFields: fields)
        }
        if validation.kind == .conditional, let own = validation.headerFields[.ifNoneMatch] {
            validation.headerFields[.ifNoneMatch] = ([own] + tags.filter { $0 != own }).joined(separator: ", ")
        }
        return validation
    }

    /// The validation request (RFC 9111, section 4.3.1); `nil` if the response has no usable validator.
    ///
    /// - Parameter content: the content of the response for the request.
    func validation(of response: StoredResponse, _ content: Content?, for request: DataRequest) -> HTTPCacheValidation? {
        guard request.method == .get else { return nil }
        var fields = request.headerFields
        if response.head.status == .partialContent, content == nil {
            // Only a part at the start of a body can be completed (section 3.4).
            guard let part = response.part, part.positions.lowerBound == 0, part.total != nil, !fields.contains(.range),
                let validator = response.strongValidator, !Precondition.isConditional(fields)
            else { return nil }
            fields[.range] = "bytes=\(part.positions.upperBound)-"
            fields[.ifRange] = validator
            return HTTPCacheValidation(kind: .remainder, headerFields: fields)
        }
        // Missing ranges are fetched instead. Servers ignore preconditions unless the response is a success (RFC 9110, section
        // 13.2.1), so a 304 says nothing about a stored error or redirect.
        guard content != nil, response.head.status.kind == .successful else { return nil }
        fields[.ifNoneMatch] = response.head.headerFields[.eTag]
        fields[.ifModifiedSince] = response.head.headerFields[.lastModified]
        guard Precondition.isConditional(fields) else { return nil }
        return HTTPCacheValidation(kind: .conditional, headerFields: fields)
    }
}
