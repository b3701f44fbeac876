import ImageCore

/// A network layer of one's own: here it knows one picture, there it might speak to an object store.
struct Shelf: DataLoading {
    let picture: Data

    func load(_ request: DataRequest) async throws -> DataResponse {
        DataResponse(url: request.url, body: ByteStream(picture))
    }
}

@main
struct Headless {
    static func main() async throws {
        guard let url = URL(string: "shelf:dot") else { return }
        let response = try await Shelf(picture: Data([1, 2, 3])).load(DataRequest(url: url))
        print("\(ImageSource.url(response.url)): \(response.expectedBytes ?? 0) bytes")
    }
}
