import Crypto
import Foundation
import ImageCore
import Testing

@testable import SignedRequests

/// The requests of AWS's test suite for Signature Version 4, with their signatures. Left out are those whose path has
/// segments to remove, which are not what an HTTP client sends, and a header field over several lines.
@Suite struct SignatureV4Tests {
    struct Sample: Sendable, CustomTestStringConvertible {
        var name: String
        var method = "GET"
        /// The path and the query, with characters that are not encoded yet.
        var target = "/"
        var fields: [String: String] = [:]
        var body = ""
        var signature: String
        var testDescription: String { name }
    }

    private static let letters = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    private static let token =
        "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/"
        + "qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT3"
        + "8xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=="
    private static let form = "application/x-www-form-urlencoded"

    static let suite = [
        Sample(name: "get-vanilla", signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Sample(
            name: "get-vanilla-empty-query-key", target: "/?Param1=value1",
            signature: "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"),
        Sample(
            name: "get-vanilla-query-order-key-case", target: "/?Param2=value2&Param1=value1",
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
        Sample(
            name: "get-vanilla-query-order-value", target: "/?Param1=value2&Param1=value1",
            signature: "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694"),
        Sample(
            name: "get-vanilla-query-unreserved", target: "/?\(letters)=\(letters)",
            signature: "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"),
        Sample(
            name: "get-vanilla-utf8-query", target: "/?\u{1234}=bar",
            signature: "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
        Sample(
            name: "get-unreserved", target: "/\(letters)",
            signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
        Sample(
            name: "get-utf8", target: "/\u{1234}", signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
        Sample(
            name: "get-space", target: "/example space/",
            signature: "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"),
        Sample(
            name: "get-header-key-duplicate", fields: ["my-header1": "value2,value2,value1"],
            signature: "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"),
        Sample(
            name: "get-header-value-order", fields: ["my-header1": "value4,value1,value3,value2"],
            signature: "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"),
        Sample(
            name: "get-header-value-trim", fields: ["my-header1": " value1", "my-header2": " \"a   b   c\""],
            signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
        Sample(
            name: "post-vanilla", method: "POST", signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        Sample(
            name: "post-vanilla-query", method: "POST", target: "/?Param1=value1",
            signature: "28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"),
        Sample(
            name: "post-header-key-sort", method: "POST", fields: ["my-header1": "value1"],
            signature: "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"),
        Sample(
            name: "post-header-value-case", method: "POST", fields: ["my-header1": "VALUE1"],
            signature: "cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"),
        Sample(
            name: "post-sts-header-before", method: "POST", fields: ["x-amz-security-token": token],
            signature: "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"),
        Sample(
            name: "post-x-www-form-urlencoded", method: "POST", fields: ["content-type": form], body: "Param1=value1",
            signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
        Sample(
            name: "post-x-www-form-urlencoded-parameters", method: "POST",
            fields: ["content-type": form + "; charset=utf8"], body: "Param1=value1",
            signature: "1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe"),
    ]

    @Test(arguments: suite)
    func signatureIsThatOfTheSuite(sample: Sample) {
        let parts = sample.target.split(separator: "?", maxSplits: 1).map(String.init)
        let fields = ["host": "example.amazonaws.com", "x-amz-date": "20150830T123600Z"].merging(sample.fields) { $1 }
        let authorization = SignatureV4(region: "us-east-1", service: "service").authorization(
            method: sample.method, path: parts[0], query: parts.count == 2 ? parts[1] : "", fields: fields,
            bodyHash: hexadecimal(SHA256.hash(data: Data(sample.body.utf8))), credentials: .example)
        #expect(
            authorization == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
                + "SignedHeaders=\(fields.keys.sorted().joined(separator: ";")), Signature=\(sample.signature)")
    }

    /// The example "GET Object" of the S3 API Reference, which signs a range.
    @Test func signatureOfARangeIsThatOfTheReference() {
        let hash = hexadecimal(SHA256.hash(data: Data()))
        let authorization = SignatureV4(region: "us-east-1", service: "s3").authorization(
            method: "GET", path: "/test.txt", query: "",
            fields: [
                "host": "examplebucket.s3.amazonaws.com", "range": "bytes=0-9", "x-amz-content-sha256": hash,
                "x-amz-date": "20130524T000000Z",
            ], bodyHash: hash, credentials: .storeExample)
        #expect(authorization.hasSuffix("Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"))
    }
}

extension AWSCredentials {
    /// The credentials of the suite.
    static let example = AWSCredentials(accessKeyID: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
    /// The credentials of the S3 API Reference.
    static let storeExample = AWSCredentials(
        accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
}
