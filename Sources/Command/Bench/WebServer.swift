internal import HTTPTypes
internal import ImageCore
internal import ImageNetworking
internal import ImageNetworkingCurl
internal import LoopbackHTTP

/// An nginx of the benchmark's own on loopback: its own folder, configuration and port.
struct WebServer: Sendable {
    let url: URL
    /// Its folder, also for what a client writes.
    let folder: String
    private let process: ChildProcess

    /// Starts one that serves a body of that many bytes.
    ///
    /// - Throws: ``ImageError/Code/unsupportedFeature`` where nginx is not installed.
    init(bodySize: Int) throws { try self.init(body: Data(repeating: 0x41, count: bodySize)) }

    /// Starts one that serves that body.
    ///
    /// - Throws: ``ImageError/Code/unsupportedFeature`` where nginx is not installed.
    init(body: Data) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "calotype-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        _ = Leftovers.add(file: folder)
        try body.write(to: URL(filePath: folder + "/body"))
        // A server on loopback that is stopped at once has shown which port is free.
        let probe = try LoopbackServer(serving: { _ in LoopbackServer.Response(200) })
        let port = probe.port
        probe.stop()
        let configuration = """
            daemon off;
            master_process off;
            pid \(folder)/pid;
            error_log /dev/null;
            events { worker_connections 1024; }
            http {
                access_log off;
                sendfile on;
                tcp_nopush on;
                keepalive_requests 1000000;
                client_body_temp_path \(folder)/t1; proxy_temp_path \(folder)/t2; fastcgi_temp_path \(folder)/t3;
                uwsgi_temp_path \(folder)/t4; scgi_temp_path \(folder)/t5;
                server { listen 127.0.0.1:\(port) backlog=1024; root \(folder); }
            }
            """
        try Data(configuration.utf8).write(to: URL(filePath: folder + "/nginx.conf"))
        guard let url = URL(string: "http://127.0.0.1:\(port)/body") else {
            throw ImageError(.invalidRequest, message: "The server has no URL.")
        }
        self.url = url
        // Debian keeps it where only root looks.
        let path = "/usr/sbin/nginx"
        process = try ChildProcess(
            FileManager.default.isExecutableFile(atPath: path) ? path : "nginx",
            ["-p", folder, "-c", folder + "/nginx.conf", "-e", "/dev/null"])
    }

    /// Returns once it answers.
    func waitUntilReady() async throws {
        let loader = CurlLoader()
        for _ in 0..<500 {
            if let response = try? await loader.load(DataRequest(url: url)), response.head.status == .ok { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw ImageError(.connectionFailed, message: "nginx did not answer within 5 s.")
    }

    func stop() {
        process.terminate()
        try? FileManager.default.removeItem(atPath: folder)
        Leftovers.forget(file: folder)
    }
}
