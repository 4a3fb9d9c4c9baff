import CRemoteProcess
import Glibc

/// The open file descriptors of a running process, and the sockets of its network namespace.
///
/// It reads the kernel's tables once, when the first socket is asked for.
final class DescriptorTable {
    private let folder: String
    private lazy var sockets = Sockets(folder)
    /// Whether the process shares this program's network namespace. Only of that one the kernel tells more than its tables.
    private lazy var sharesNetwork = Self.link("/proc/self/ns/net").map { $0 == Self.link(folder + "/ns/net") } ?? false

    init(of process: RemoteProcess) {
        folder = "/proc/\(process.pid)"
    }

    /// What a descriptor is, and the state of its socket. Nil if the process has no such descriptor, and if it has become another one
    /// meanwhile.
    func descriptor(_ number: Int32, _ purpose: WaitedDescriptor.Purpose) -> WaitedDescriptor? {
        guard number >= 0, let target = target(of: number) else { return nil }
        guard let inode = Self.inode(of: target) else {
            let kind: WaitedDescriptor.Kind = target.hasPrefix("pipe:") ? .pipe : target.hasPrefix("/") ? .file : .other
            return WaitedDescriptor(number: number, kind: kind, purpose: purpose)
        }
        let known = sockets.byInode[inode]
        guard self.target(of: number) == target else { return nil }
        guard let known else { return WaitedDescriptor(number: number, kind: .other, purpose: purpose) }
        return descriptor(number, known, inode, purpose)
    }

    /// Whether a number is that of an open socket.
    func isSocket(_ number: Int32) -> Bool {
        number > 2 && target(of: number).flatMap(Self.inode) != nil
    }

    /// What a process waits for that waits for one of several connections: the connection itself if it is a single one, or all of them with
    /// the peer to which they lead. Nil if they lead to several peers, and for connections that the process has accepted.
    func connections(_ numbers: Set<Int32>) -> WaitedDescriptor? {
        let all = numbers.sorted().map { descriptor($0, .unknown) }
        guard let first = all.first, var found = first, let peer = found.peer, numbers.allSatisfy({ !isAccepted($0) }),
            all.allSatisfy({ $0?.peer == peer })
        else { return nil }
        if numbers.count > 1 {
            found = WaitedDescriptor(number: nil, kind: .pool, purpose: .unknown, peer: peer)
            found.connections = numbers.count
        }
        return found
    }

    /// Whether the peer of a socket has connected to the process, and not the other way round: another socket listens on its port.
    private func isAccepted(_ number: Int32) -> Bool {
        guard let inode = target(of: number).flatMap(Self.inode), let socket = sockets.byInode[inode] else { return true }
        return socket.local.map { sockets.listened.contains($0.port) } ?? true
    }

    /// Whether the peer of a socket has not answered yet.
    func isConnecting(_ number: Int32) -> Bool {
        target(of: number).flatMap(Self.inode).flatMap { sockets.byInode[$0]?.state } == .connecting
    }

    private func descriptor(
        _ number: Int32, _ socket: Sockets.Socket, _ inode: UInt64, _ purpose: WaitedDescriptor.Purpose
    ) -> WaitedDescriptor {
        var found = WaitedDescriptor(number: number, kind: socket.kind, purpose: purpose, state: socket.state)
        found.retries = socket.retries
        switch socket.kind {
        case .unix:
            found.local = socket.path
            let peer = sharesNetwork ? UInt64(remote_unix_peer(UInt32(truncatingIfNeeded: inode))) : 0
            found.peer = peer == 0 ? nil : sockets.byInode[peer]?.path
        case .tcp, .udp:
            found.local = socket.local?.text
            found.peer = socket.peer?.text
        case .pipe, .file, .pool, .other: break
        }
        // A thread that waits in a call which sends has found no room.
        if purpose == .sends, socket.state == .established { found.state = .sendBufferFull }
        if purpose == .unknown, socket.state == .established, socket.unread > 0 { found.state = .unread }
        if socket.kind == .tcp, sharesNetwork, let local = socket.local, let peer = socket.peer {
            var (from, to) = (local.raw, peer.raw)
            var silence = remote_silence()
            if remote_tcp_silence(&from, &to, UInt32(truncatingIfNeeded: inode), &silence) {
                found.silence = UInt64(found.state == .sendBufferFull ? silence.sent : silence.received) * 1_000_000
            }
        }
        return found
    }

    private func target(of number: Int32) -> String? { Self.link("\(folder)/fd/\(number)") }

    private static func link(_ path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let size = buffer.withUnsafeMutableBytes { readlink(path, $0.baseAddress!, $0.count) }
        return size > 0 ? String(decoding: buffer[..<size], as: UTF8.self) : nil
    }

    private static func inode(of target: String) -> UInt64? {
        target.hasPrefix("socket:[") ? UInt64(target.dropFirst(8).dropLast()) : nil
    }
}

extension WaitedDescriptor.Purpose {
    /// Nil for a call that waits for no descriptor, or for several.
    init?(_ kind: remote_call_kind) {
        switch kind {
        case remote_call_receives: self = .receives
        case remote_call_sends: self = .sends
        case remote_call_connects: self = .connects
        case remote_call_accepts: self = .accepts
        case _: return nil
        }
    }
}

/// The sockets of a network namespace, as the kernel's tables list them.
struct Sockets {
    struct Address {
        var family: Int32
        var port: UInt16
        var bytes: [UInt8]

        var raw: remote_address {
            var raw = remote_address()
            (raw.family, raw.port) = (family, port)
            withUnsafeMutableBytes(of: &raw.bytes) { $0.copyBytes(from: bytes) }
            return raw
        }

        /// `127.0.0.1:5432` or `[::1]:5432`. An IPv4 address within IPv6 is shown as such.
        var text: String {
            let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
            if bytes.count == 16, bytes.starts(with: mapped) { return Self.text(Array(bytes[12...]), AF_INET) + ":\(port)" }
            let text = Self.text(bytes, family)
            return family == AF_INET ? "\(text):\(port)" : "[\(text)]:\(port)"
        }

        private static func text(_ bytes: [UInt8], _ family: Int32) -> String {
            var buffer = [CChar](repeating: 0, count: 64)
            inet_ntop(family, bytes, &buffer, socklen_t(buffer.count))
            return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    struct Socket {
        var kind: WaitedDescriptor.Kind
        var state: WaitedDescriptor.State?
        var local: Address?
        var peer: Address?
        /// The path of a Unix socket.
        var path: String?
        /// The bytes that have arrived and were not read.
        var unread = 0
        var retries = 0
    }

    private(set) var byInode: [UInt64: Socket] = [:]
    /// The ports of TCP on which sockets listen.
    private(set) var listened: Set<UInt16> = []

    /// - Parameter folder: The folder of a process in `/proc`.
    init(_ folder: String) {
        let tables: [(name: String, kind: WaitedDescriptor.Kind)] = [("tcp", .tcp), ("tcp6", .tcp), ("udp", .udp), ("udp6", .udp)]
        for table in tables {
            for line in Self.rows(folder + "/net/" + table.name) {
                if let (inode, socket) = Self.socket(line, table.kind) { byInode[inode] = socket }
            }
        }
        listened = Set(byInode.values.filter { $0.state == .listening }.compactMap { $0.local?.port })
        for line in Self.rows(folder + "/net/unix") {
            if let (inode, socket) = Self.unixSocket(line) { byInode[inode] = socket }
        }
    }

    private static func rows(_ path: String) -> ArraySlice<Substring> { ProcFile(path).text.split(separator: "\n").dropFirst() }

    /// A row of `tcp`, `tcp6`, `udp` or `udp6`: number, local and remote address, state, both queues, timer, repetitions, user, timeout, inode.
    static func socket(_ line: Substring, _ kind: WaitedDescriptor.Kind) -> (inode: UInt64, Socket)? {
        let words = line.split(separator: " ")
        guard words.count > 9, let inode = UInt64(words[9]), inode != 0, let local = address(words[1]), let peer = address(words[2]),
            let state = UInt8(words[3], radix: 16)
        else { return nil }
        let isConnected = peer.port != 0
        var socket = Socket(kind: kind, local: local, peer: isConnected ? peer : nil)
        if kind == .tcp { socket.state = tcpStates[state] ?? .closed }
        socket.unread = words[4].split(separator: ":").last.flatMap { Int($0, radix: 16) } ?? 0
        socket.retries = Int(words[6], radix: 16) ?? 0
        return (inode, socket)
    }

    /// The kernel's numbers of the states of TCP.
    private static let tcpStates: [UInt8: WaitedDescriptor.State] = [
        1: .established, 2: .connecting, 3: .connecting, 4: .closing, 5: .closing, 8: .closedByPeer, 9: .closedByPeer, 10: .listening,
        11: .closing,
    ]

    /// A row of `unix`: address in the kernel, references, protocol, flags, type, state, inode, path.
    static func unixSocket(_ line: Substring) -> (inode: UInt64, Socket)? {
        let words = line.split(separator: " ", maxSplits: 7)
        guard words.count > 6, let inode = UInt64(words[6]), let flags = UInt32(words[3], radix: 16), let state = UInt8(words[5]) else {
            return nil
        }
        let isListening = flags & 0x10000 != 0
        let path = words.count > 7 ? String(words[7]) : nil
        return (inode, Socket(kind: .unix, state: isListening ? .listening : unixStates[state], path: path))
    }

    private static let unixStates: [UInt8: WaitedDescriptor.State] = [2: .connecting, 3: .established, 4: .closing]

    /// An address of these tables: groups of four bytes as numbers of this machine, a colon, and the port.
    static func address(_ text: Substring) -> Address? {
        let parts = text.split(separator: ":")
        guard parts.count == 2, let port = UInt16(parts[1], radix: 16), parts[0].count == 8 || parts[0].count == 32 else { return nil }
        var bytes: [UInt8] = []
        var rest = parts[0]
        while !rest.isEmpty {
            guard let word = UInt32(rest.prefix(8), radix: 16) else { return nil }
            withUnsafeBytes(of: word) { bytes += $0 }
            rest = rest.dropFirst(8)
        }
        return Address(family: bytes.count == 4 ? AF_INET : AF_INET6, port: port, bytes: bytes)
    }
}
