import ImageCore
import Testing

@Suite struct Errors {
    @Test(arguments: [
        ("at https://user:secret@example.org:81/a@b failed", "at https://example.org:81/a@b failed"),
        ("\"ftp://a@b@c\" x://y@z?u@v", "\"ftp://c\" x://z?..."),
        ("name@example.org", "name@example.org"), ("://", "://"), ("a://b@", "a://"),
    ])
    func theCauseOfAWrappedErrorHasNoCredentials(_ message: String, _ expected: String) {
        struct PlugInError: Error, CustomStringConvertible {
            let description: String
        }
        #expect(ImageError.wrapping(PlugInError(description: message), stage: .network, source: nil).causes == [expected])
    }

    @Test func anErrorIsWrappedOnceAndKeepsItsStageAndItsSource() {
        struct OtherError: Error {}
        let wrapped = ImageError.wrapping(OtherError(), stage: .decode, source: "a.png")
        #expect(wrapped.code == .plugInFailed && wrapped.category == .plugIn)
        #expect(wrapped.stage == .decode && wrapped.causes == ["OtherError()"])
        let again = ImageError.wrapping(wrapped, stage: .process, source: "b.png")
        #expect(again == wrapped)
    }
}
