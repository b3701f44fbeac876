// The types that Darwin's C library gives to what the stub takes from Glibc.
let SOCK_STREAM: Int32 = 1

struct SignalHandlerUnion {
    let __sa_handler: (@convention(c) (Int32) -> Void)?
}

extension sigaction {
    var __sigaction_u: SignalHandlerUnion { SignalHandlerUnion(__sa_handler: nil) }
}
