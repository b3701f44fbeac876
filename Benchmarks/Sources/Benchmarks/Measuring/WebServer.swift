internal import Calotype
internal import Foundation
internal import HTTPTypes
internal import LoopbackHTTP

/// An nginx process on the loopback interface, with its own folder, configuration and port.
struct WebServer: Sendable {
    let url: URL
    /// The folder of the server, also for files of a client.
    let folder: ScratchFolder
    private let process: ChildProcess

    /// Starts a server with a body of that many bytes.
    ///
    /// - Throws: ``MissingProgram`` when nginx is not installed.
    init(bodySize: Int) throws { try self.init(body: Data(repeating: 0x41, count: bodySize)) }

    /// Starts a server with that body.
    ///
    /// - Throws: ``MissingProgram`` when nginx is not installed.
    init(body: Data) throws {
        let folder = try ScratchFolder()
        self.folder = folder
        try body.write(to: URL(filePath: folder.file("body")))
        // A loopback server that is stopped at once gives the number of a free port.
        let probe = try LoopbackServer(serving: { _ in LoopbackServer.Response(200) })
        let port = probe.port
        probe.stop()
        let configuration = """
            daemon off;
            master_process off;
            pid \(folder.path)/pid;
            error_log /dev/null;
            events { worker_connections 1024; }
            http {
                access_log off;
                sendfile on;
                tcp_nopush on;
                keepalive_requests 1000000;
                client_body_temp_path \(folder.path)/t1; proxy_temp_path \(folder.path)/t2; fastcgi_temp_path \(folder.path)/t3;
                uwsgi_temp_path \(folder.path)/t4; scgi_temp_path \(folder.path)/t5;
                server { listen 127.0.0.1:\(port) backlog=1024; root \(folder.path); }
            }
            """
        try Data(configuration.utf8).write(to: URL(filePath: folder.file("nginx.conf")))
        url = try .parsed("http://127.0.0.1:\(port)/body")
        // On Debian it is in a folder that only root has in PATH.
        let path = "/usr/sbin/nginx"
        let program = FileManager.default.isExecutableFile(atPath: path) ? path : "nginx"
        do {
            process = try ChildProcess([
                program, "-p", folder.path, "-c", folder.file("nginx.conf"), "-e", "/dev/null",
            ])
        } catch {
            folder.remove()
            throw MissingProgram(name: "nginx", isNeeded: true)
        }
    }

    /// Waits until the server responds.
    func waitUntilReady() async throws {
        let loader = CurlLoader()
        for _ in 0..<500 {
            if let response = try? await loader.load(DataRequest(url: url)), response.head.status == .ok { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw ImageError(.connectionFailed, message: "nginx did not respond within 5 s.")
    }

    func stop() {
        process.terminate()
        folder.remove()
    }
}

extension URL {
    /// - Throws: ``ImageError`` for text that is not a URL.
    static func parsed(_ text: String) throws -> URL {
        guard let url = URL(string: text) else { throw ImageError(.invalidRequest, message: "\(text) is not a URL.") }
        return url
    }
}
