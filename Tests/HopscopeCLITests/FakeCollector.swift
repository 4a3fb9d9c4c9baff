import Dispatch
import Foundation

/// A collector for failure cases: it answers each POST with the next status of a list, and keeps what it answered 200 to.
///
/// The last status of the list is repeated. It runs on threads of its own.
final class FakeCollector: @unchecked Sendable {
    struct Request: Sendable {
        let path: String
        /// The request line and the headers.
        let head: String
        let body: [UInt8]
        let status: Int
    }

    let port: UInt16
    private let descriptor: Int32
    private let lock = NSLock()
    private var statuses: [Int]
    private var received: [Request] = []
    private var bytesOfAnswers = 0
    private let behaviour: Behaviour
    private let host: String

    /// What it answers beside the status.
    enum Behaviour: Sendable, Equatable {
        /// Headers, each with a line break at its end, and a body.
        case answers(headers: String = "", body: [UInt8] = [])
        /// A body that does not end.
        case isEndless
        /// Nothing, until the client closes the connection.
        case isSilent
    }

    init(statuses: [Int] = [200], _ behaviour: Behaviour = .answers(), isIPv6: Bool = false) throws {
        self.statuses = statuses
        self.behaviour = behaviour
        host = isIPv6 ? "[::1]" : "127.0.0.1"
        descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let descriptor = descriptor
        if isIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_addr = in6addr_loopback
            guard Self.listens(descriptor, at: &address) else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRINUSE) }
            port = UInt16(bigEndian: address.sin6_port)
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            guard Self.listens(descriptor, at: &address) else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EADDRINUSE) }
            port = UInt16(bigEndian: address.sin_port)
        }
        DispatchQueue(label: "fake collector").async { [weak self] in
            while true {
                let client = accept(descriptor, nil, nil)
                guard client >= 0, let self else { return }
                self.serve(client)
            }
        }
    }

    private static func listens<Address>(_ descriptor: Int32, at address: inout Address) -> Bool {
        var length = socklen_t(MemoryLayout<Address>.size)
        return withUnsafeMutableBytes(of: &address) {
            guard let address = $0.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            return bind(descriptor, address, length) == 0 && listen(descriptor, 64) == 0 && getsockname(descriptor, address, &length) == 0
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    var address: String { "http://\(host):\(port)" }

    /// All requests so far, with the status of the answer.
    var requests: [Request] { lock.withLock { received } }

    /// The bytes of endless answers that the client has taken, or that wait in its socket.
    var writtenBytes: Int { lock.withLock { bytesOfAnswers } }

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
            received.append(Request(path: path, head: head, body: body, status: status))
            return status
        }
        switch behaviour {
        case .answers(let headers, let body):
            answer(client, "HTTP/1.1 \(status) Status\r\n\(headers)Content-Length: \(body.count)\r\nConnection: close\r\n\r\n")
            _ = send(client, body)
        case .isEndless:
            answer(client, "HTTP/1.1 \(status) Status\r\nConnection: close\r\n\r\n")
            // A client that never closes the connection gets a gigabyte.
            while case let count = send(client, buffer), count > 0,
                lock.withLock({
                    bytesOfAnswers += count
                    return bytesOfAnswers
                }) < 1 << 30
            {}
        case .isSilent:
            while read(client, &buffer, buffer.count) > 0 {}
        }
    }

    private func answer(_ client: Int32, _ text: String) {
        _ = send(client, Array(text.utf8))
    }

    /// Unlike `write`, it raises no signal when the client has closed the connection.
    private func send(_ client: Int32, _ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }
}
