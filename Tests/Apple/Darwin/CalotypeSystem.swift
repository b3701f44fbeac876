// Declarations of Glibc with the types that they have in Darwin's C library. Compiled with the module's sources.
let SOCK_STREAM: Int32 = 1

// In C this is a union, which is unsafe in Swift.
@unsafe struct SignalHandlerUnion {
    let __sa_handler: (@convention(c) (Int32) -> Void)?
}

extension sigaction {
    @unsafe var __sigaction_u: SignalHandlerUnion { unsafe SignalHandlerUnion(__sa_handler: nil) }
}
