internal import HTTPTypes
internal import ImageCore

// The steps of a decision: which stored response, which of its bytes, and whether it may be used as it is.
extension HTTPCachePolicy {
    /// The stored response that a request is about, and the bytes that answer it; without an answer it is a part that is
    /// too short, or lies elsewhere.
    struct Choice: Hashable {
        var index: Int
        var answer: Answer?
    }

    enum Answer: Hashable {
        case whole
        /// Positions within the whole body.
        case part(Range<Int>, total: Int?)
    }

    enum Use: Hashable {
        case serve, serveAndValidate, validate
    }

    /// Of the responses that match the request, the latest (RFC 9111, section 4), those first that can answer it.
    func choice(of stored: [StoredResponse], for request: DataRequest) -> Choice? {
        var best: Choice?
        for index in stored.indices where stored[index].answers(request) {
            let choice = Choice(index: index, answer: answer(from: stored[index], to: request))
            guard let old = best else {
                best = choice
                continue
            }
            let isBetter =
                (choice.answer != nil) == (old.answer != nil)
                ? stored[index].date > stored[old.index].date : choice.answer != nil
            if isBetter { best = choice }
        }
        return best
    }

    /// The bytes of a stored response that a request asks for (RFC 9110, section 14; RFC 9111, section 3.3).
    private func answer(from response: StoredResponse, to request: DataRequest) -> Answer? {
        let isPart = response.head.status == .partialContent
        guard let field = request.headerFields[.range], request.method == .get, isPart || response.head.status == .ok else {
            return isPart ? nil : .whole
        }
        let held = response.part?.positions ?? 0..<response.byteCount
        let total = isPart ? response.part?.total : response.byteCount
        // A range of a version that is not this one asks for the whole (section 13.1.5).
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

    /// Whether a response may be used as it is (RFC 9111, section 4).
    func use(of response: StoredResponse, _ wish: RequestDirectives, at now: Double) -> Use {
        if wish.noCache { return .validate }
        if mode == .aggressive { return .serve }
        if response.control.noCache || response.redirect != nil { return .validate }
        let age = response.age(at: now)
        let lifetime = response.lifetime(under: self)
        let isFresh = lifetime > age
        // A reload asks for `max-age=0`; what is immutable is not asked for again while it is fresh (RFC 8246).
        if let maxAge = wish.maxAge, maxAge == 0 || age > Double(maxAge), !(isFresh && response.control.immutable) {
            return .validate
        }
        if let minFresh = wish.minFresh, lifetime - age < Double(minFresh) { return .validate }
        if isFresh { return .serve }
        if response.control.mustRevalidate { return .validate }
        let staleness = age - lifetime
        if let maxStale = wish.maxStale, maxStale == .max || staleness <= Double(maxStale) { return .serve }
        if let window = response.control.staleWhileRevalidate, staleness < Double(window) { return .serveAndValidate }
        return .validate
    }

    func reply(
        _ answer: Answer, from response: StoredResponse, index: Int, to request: DataRequest, at now: Double
    ) -> HTTPCacheReply {
        let age = Int(min(response.age(at: now), Double(CacheControl.longest)))
        var head = response.head
        head.headerFields[.age] = String(age)
        var bytes = 0..<response.byteCount
        switch answer {
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
        return HTTPCacheReply(index: index, age: age, head: head, bytes: bytes)
    }

    /// The question to the server (RFC 9111, section 4.3.1); `nil` where there is nothing to ask by.
    func validation(of response: StoredResponse, _ choice: Choice, for request: DataRequest) -> HTTPCacheValidation? {
        guard request.method == .get else { return nil }
        var fields = request.headerFields
        if response.head.status == .partialContent, choice.answer == nil {
            // The beginning of a body is completed (section 3.4); any other part is of no use for the whole.
            guard let part = response.part, part.positions.lowerBound == 0, part.total != nil, !fields.contains(.range),
                let validator = response.strongValidator, !Precondition.isConditional(fields)
            else { return nil }
            fields[.range] = "bytes=\(part.positions.upperBound)-"
            fields[.ifRange] = validator
            return HTTPCacheValidation(index: choice.index, question: .rest, headerFields: fields)
        }
        // A range that is not held has to come from the server, and so does the version that it is of.
        // A server ignores preconditions unless it would answer with a success (RFC 9110, section 13.2.1): a 304 says nothing
        // about a stored error or redirect.
        guard choice.answer != nil, response.head.status.kind == .successful else { return nil }
        fields[.ifNoneMatch] = response.head.headerFields[.eTag]
        fields[.ifModifiedSince] = response.head.headerFields[.lastModified]
        guard Precondition.isConditional(fields) else { return nil }
        return HTTPCacheValidation(index: choice.index, question: .isCurrent, headerFields: fields)
    }
}
