internal import Foundation

extension Suite {
    /// Measures the start of the command.
    static let start = Suite(name: "start", summary: "elapsed time of calotype --version") { effort, _ in
        func milliseconds(_ command: [String]) async -> [Double]? {
            try? await effort.samples {
                let began = ContinuousClock.now
                guard try ChildProcess(command).wait().status == 0 else { throw MissingProgram(name: command[0]) }
                return (.now - began) / .milliseconds(1)
            }
        }
        guard let own = await milliseconds([Programs.path("calotype"), "--version"]) else {
            throw MissingProgram(name: "calotype", isNeeded: true)
        }
        let peer = Row.Peer(name: "vipsthumbnail --version", samples: await milliseconds(["vipsthumbnail", "--version"]))
        return [Row(suite: "start", name: "calotype --version", samples: own, unit: "ms", peer: peer, budget: .atMost(25))]
    }
}
