import Crypto
import Foundation

/// The field `Authorization` of AWS Signature Version 4 ("AWS Signature Version 4 for API requests" in the IAM User
/// Guide).
struct SignatureV4: Sendable {
    let region: String
    let service: String

    /// Signs a request.
    ///
    /// - Parameters:
    ///   - path: the path, which is percent-encoded here once.
    ///   - query: the query as it is in the URL.
    ///   - fields: the header fields to sign by their names in lower case, with `host` and `x-amz-date`.
    ///   - bodyHash: the SHA-256 of the body in hexadecimal digits.
    func authorization(
        method: String, path: String, query: String, fields: [String: String], bodyHash: String, credentials: AWSCredentials
    ) -> String {
        let lines = fields.sorted { $0.key < $1.key }.map { "\($0):\($1.split(separator: " ").joined(separator: " "))" }
        let (names, time) = (fields.keys.sorted().joined(separator: ";"), fields["x-amz-date"] ?? "")
        let target = [method, path.isEmpty ? "/" : encoded(path, keeping: "/"), canonical(query)]
        let request = (target + lines + ["", names, bodyHash]).joined(separator: "\n")
        let scope = [String(time.prefix(8)), region, service, "aws4_request"]
        let text = ["AWS4-HMAC-SHA256", time, scope.joined(separator: "/"), hexadecimal(SHA256.hash(data: Data(request.utf8)))]
        let key = scope.reduce(Data("AWS4\(credentials.secretAccessKey)".utf8)) { authenticationCode(of: $1, key: $0) }
        let signature = hexadecimal(authenticationCode(of: text.joined(separator: "\n"), key: key))
        let credential = ([credentials.accessKeyID] + scope).joined(separator: "/")
        return "AWS4-HMAC-SHA256 Credential=\(credential), SignedHeaders=\(names), Signature=\(signature)"
    }

    /// A query with each name and each value encoded in the same way, and in order.
    private func canonical(_ query: String) -> String {
        query.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1).map { encoded($0.removingPercentEncoding ?? String($0)) }
            return (parts.first ?? "", parts.count == 2 ? parts[1] : "")
        }
        .sorted(by: <).map { "\($0)=\($1)" }.joined(separator: "&")
    }

    private func encoded(_ text: String, keeping others: String = "") -> String {
        text.addingPercentEncoding(withAllowedCharacters: CharacterSet(charactersIn: unreserved + others)) ?? text
    }
}

/// The characters that a URL never encodes (RFC 3986, section 2.3).
private let unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"

/// The HMAC-SHA256 of a text.
func authenticationCode(of text: String, key: Data) -> Data {
    Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: SymmetricKey(data: key)))
}

func hexadecimal(_ bytes: some Sequence<UInt8>) -> String { bytes.map { String(format: "%02x", $0) }.joined() }
