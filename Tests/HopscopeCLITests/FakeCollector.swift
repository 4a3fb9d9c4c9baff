import Dispatch
import Foundation

/// A collector for failure cases: it answers each POST with the next status of a list, and keeps what it answered 200 to.
///
/// The last status of the list is repeated. It runs on threads of its own.
final class FakeCollector: @unchecked Sendable {
    struct Request: Sendable {
        let path: String
        let body: [UInt8]
        let status: Int
    }

    let port: UInt16
    private let descriptor: Int32
    private let lock = NSLock()
    private var statuses: [Int]
    private var received: [Request] = []

    init(statuses: [Int] = [200]) throws {
        self.statuses = statuses
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0 && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRINUSE) }
        port = UInt16(bigEndian: address.sin_port)
        DispatchQueue(label: "fake collector").async { [weak self] in
            while true {
                let client = accept(descriptor, nil, nil)
                guard client >= 0, let self else { return }
                self.serve(client)
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    var address: String { "http://127.0.0.1:\(port)" }

    /// All requests so far, with the status of the answer.
    var requests: [Request] { lock.withLock { received } }

    var taken: [Request] { requests.filter { $0.status == 200 } }

    /// One request per connection.
    private func serve(_ client: Int32) {
        defer { close(client) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var need = Int.max
        var head = ""
        while bytes.count < need {
            let count = read(client, &buffer, buffer.count)
            guard count > 0 else { return }
            bytes += buffer[..<count]
            if need == .max, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) {
                head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
                let length =
                    head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
                    .flatMap { Int($0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces)) } ?? 0
                if head.lowercased().contains("expect: 100-continue") { answer(client, "HTTP/1.1 100 Continue\r\n\r\n") }
                need = end.upperBound + length
            }
        }
        let body = Array(bytes.suffix(from: bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound ?? bytes.endIndex))
        let path = head.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        let status = lock.withLock {
            let status = statuses.count > 1 ? statuses.removeFirst() : statuses[0]
            received.append(Request(path: path, body: body, status: status))
            return status
        }
        answer(client, "HTTP/1.1 \(status) Status\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    }

    private func answer(_ client: Int32, _ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { write(client, $0.baseAddress, $0.count) }
    }
}
