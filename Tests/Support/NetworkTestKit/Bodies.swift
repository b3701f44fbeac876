package import ImageCore

extension ByteStream {
    package func collected() async throws -> Data {
        var data = Data()
        for try await chunk in self { data.append(chunk) }
        return data
    }

    package func text() async throws -> String { String(decoding: try await collected(), as: UTF8.self) }
}

extension DataLoading {
    /// Loads the whole body.
    package func body(of request: DataRequest) async throws -> Data { try await load(request).body.collected() }
}
