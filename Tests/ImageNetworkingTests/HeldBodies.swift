import HTTPTypes
import ImageCore

/// A loader with a list of responses. It counts, at each request, the unreleased bodies of earlier responses, each of
/// which would hold a connection.
final class HeldBodies: DataLoading {
    private final class Body: Sendable {
        let held: HeldBodies

        init(_ held: HeldBodies) {
            self.held = held
            held.state.withLock { $0.bodies += 1 }
        }

        deinit { held.state.withLock { $0.bodies -= 1 } }
    }

    private struct State {
        var answers: [HTTPResponse]
        var bodies = 0
        var atRequests: [Int] = []
    }

    private let state: Lock<State>

    init(_ answers: HTTPResponse...) { state = Lock(State(answers: answers)) }

    /// The number of unreleased bodies.
    var count: Int { state.withLock { $0.bodies } }
    /// That number at each request.
    var atRequests: [Int] { state.withLock { $0.atRequests } }

    func load(_ request: DataRequest) async throws -> DataResponse {
        let head = state.withLock { state in
            state.atRequests.append(state.bodies)
            return state.answers.removeFirst()
        }
        let body = Body(self)
        return DataResponse(
            url: request.url, head: head,
            body: ByteStream {
                withExtendedLifetime(body) {}
                return nil
            })
    }
}
