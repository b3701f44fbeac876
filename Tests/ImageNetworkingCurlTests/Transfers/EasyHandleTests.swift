import HTTPTypes
import ImageCore
import Testing

@testable import ImageNetworkingCurl

@Suite struct EasyHandles {
    /// Whether a handle that served one request keeps none of its header lines.
    private func keepsNothing(
        _ fields: HTTPFields, url: String = "http://a/", method: HTTPRequest.Method = .get, body: Data? = nil
    ) throws -> Bool {
        let configuration = CurlLoader.Configuration()
        let handle = try #require(EasyHandle(configuration, usesProxies: false))
        let request = DataRequest(url: try #require(URL(string: url)), method: method, headerFields: fields, body: body)
        handle.prepare(try .first(of: request), configuration: configuration)
        #expect(unsafe handle.headerLines != nil)
        handle.prepareForReuse()
        return unsafe handle.headerLines == nil
    }

    @Test func credentialsAreNotKeptForTheNextRequest() throws {
        let key = try #require(HTTPField.Name("X-Api-Key"))
        for name in [HTTPField.Name.authorization, .cookie, key] {
            #expect(try keepsNothing([.accept: "image/png", name: "secret"]))
        }
        #expect(try keepsNothing([:], url: "http://user:secret@a/"))
    }

    @Test func theFieldsOfARequestWithABodyAreNotKept() throws {
        #expect(try keepsNothing([.authorization: "secret"], method: .post, body: Data("secret".utf8)))
    }
}
