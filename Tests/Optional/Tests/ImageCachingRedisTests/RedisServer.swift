import Foundation
import ImageCore

/// A real server on a separate socket, ended with the last reference.
final class RedisServer: Sendable {
    let folder: URL
    private let identifier: pid_t

    var socket: String { folder.appending(path: "redis.sock").path(percentEncoded: false) }

    /// Starts the server and returns when it takes connections.
    init(password: String? = nil, in folder: URL? = nil) throws {
        let name = "redis-\(UInt32.random(in: .min ... .max))"
        self.folder = folder ?? FileManager.default.temporaryDirectory.appending(path: name, directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
        let path = self.folder.path(percentEncoded: false)
        var arguments = ["redis-server", "--port", "0", "--unixsocket", path + "redis.sock", "--dir", path, "--save", ""]
        arguments += ["--appendonly", "no", "--daemonize", "no"]
        if let password { arguments += ["--requirepass", password] }
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw ImageError(.plugInFailed, message: "There is no pipe.") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        var child: pid_t = 0
        var pointers = unsafe arguments.map { unsafe strdup($0) } + [nil]
        let status = unsafe posix_spawnp(&child, "redis-server", &actions, nil, &pointers, environ)
        unsafe pointers.forEach { unsafe free($0) }
        _ = close(ends[1])
        identifier = child
        defer { _ = close(ends[0]) }
        guard status == 0 else { throw ImageError(.plugInFailed, message: "redis-server did not start: \(status).") }
        var text = ""
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while !text.contains("Ready to accept connections"), !text.contains("ready to accept connections") {
            let count = unsafe read(ends[0], &bytes, bytes.count)
            guard count > 0 else { throw ImageError(.plugInFailed, message: "redis-server ended: \(text)") }
            text += String(decoding: bytes[..<count], as: UTF8.self)
        }
    }

    /// Stops replying without closing connections.
    func stall() { _ = kill(identifier, SIGSTOP) }
    func resume() { _ = kill(identifier, SIGCONT) }

    /// Ends at once.
    func end() {
        _ = kill(identifier, SIGKILL)
        var status: Int32 = 0
        _ = unsafe waitpid(identifier, &status, 0)
    }

    deinit {
        end()
        try? FileManager.default.removeItem(at: folder)
    }
}
