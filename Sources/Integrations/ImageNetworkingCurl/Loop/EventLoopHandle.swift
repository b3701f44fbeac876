/// Keeps the loop's thread running: held by the loader and by each body that is being read.
final class EventLoopHandle: Sendable {
    let mailbox: Mailbox

    init(mailbox: Mailbox) { self.mailbox = mailbox }

    deinit { mailbox.close() }
}
