import HTTPTypes
import ImageCore
import Testing

@testable import ImageNetworkingCurl

@Suite struct EasyHandles {
    /// A handle that served one request and waits for the next.
    private func rested(
        _ fields: HTTPFields, url: String = "http://a/", method: HTTPRequest.Method = .get, body: Data? = nil
    ) throws -> EasyHandle {
        let handle = try #require(EasyHandle())
        let request = DataRequest(url: try #require(URL(string: url)), method: method, headerFields: fields, body: body)
        handle.prepare(try .first(of: request), configuration: CurlLoader.Configuration(), usesProxies: false)
        #expect(handle.hasHeaderLines)
        handle.prepareForReuse()
        return handle
    }

    @Test func credentialsAreNotKeptForTheNextRequest() throws {
        let key = try #require(HTTPField.Name("X-Api-Key"))
        for name in [HTTPField.Name.authorization, .cookie, key] {
            let handle = try rested([.accept: "image/png", name: "secret"])
            #expect(handle.appliedOptions.fields == nil)
            #expect(!handle.hasHeaderLines)
        }
        let handle = try rested([:], url: "http://user:secret@a/")
        #expect(handle.appliedOptions.fields == nil)
        #expect(!handle.hasHeaderLines)
    }

    @Test func theFieldsOfARequestWithABodyAreNotKept() throws {
        let handle = try rested([.authorization: "secret"], method: .post, body: Data("secret".utf8))
        #expect(handle.appliedOptions.fields == nil)
        #expect(!handle.hasHeaderLines)
    }

    @Test func whatSaysNothingOfWhoAsksIsKept() throws {
        let handle = try rested([.accept: "image/png", .range: "bytes=5-"])
        #expect(handle.appliedOptions.fields == [.accept: "image/png", .range: "bytes=5-"])
        #expect(handle.hasHeaderLines)
    }
}
