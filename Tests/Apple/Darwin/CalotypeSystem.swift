// The types that Darwin's C library gives to what the stub takes from Glibc.
let SOCK_STREAM: Int32 = 1

// A union in C, which is unsafe in Swift.
@unsafe struct SignalHandlerUnion {
    let __sa_handler: (@convention(c) (Int32) -> Void)?
}

extension sigaction {
    @unsafe var __sigaction_u: SignalHandlerUnion { unsafe SignalHandlerUnion(__sa_handler: nil) }
}
