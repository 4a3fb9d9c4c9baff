// Tasks that wait for sockets of this program, whose other ends misbehave. The name of a task says what it waits for:
// `io KIND DESCRIPTOR PEER STATE sure|likely`, or `none` if nothing may be said.
import Dispatch
import Foundation
import Glibc

func check(_ result: Int32, _ what: String) -> Int32 {
    guard result >= 0 else { fatalError("\(what): \(errno)") }
    return result
}

func withAddress<Result>(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
}

func withPath<Result>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
}

func stream(_ family: Int32 = AF_INET) -> Int32 { check(socket(family, Int32(SOCK_STREAM.rawValue), 0), "socket") }

/// A server that listens, and its port.
func server(backlog: Int32 = 8) -> (descriptor: Int32, port: UInt16) {
    let listener = stream()
    _ = check(withAddress(0) { bind(listener, $0, $1) }, "bind")
    _ = check(listen(listener, backlog), "listen")
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
        _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &size) }
    }
    return (listener, UInt16(bigEndian: address.sin_port))
}

/// Both ends of a connection, and the words for its peer.
func connection() -> (client: Int32, server: Int32, peer: String) {
    let (listener, port) = server()
    let client = stream()
    _ = check(withAddress(port) { connect(client, $0, $1) }, "connect")
    return (client, check(accept(listener, nil, nil), "accept"), "127.0.0.1:\(port)")
}

/// Runs a task on a thread of its own, which it may block.
final class OwnThread: TaskExecutor {
    let queue = DispatchQueue(label: "own")
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

func blocking(_ name: String, _ body: @escaping @Sendable () -> Void) {
    Task(name: name, executorPreference: OwnThread()) { body() }
}

typealias Waiter = CheckedContinuation<Void, Never>

final class Connection: @unchecked Sendable {
    let name = "connection"
    let fd: Int32
    var waiter: Waiter?
    init(_ fd: Int32) { self.fd = fd }
}
/// It refers to the task that works for it.
final class Session: @unchecked Sendable {
    let fd: Int32
    var worker = 0
    init(_ fd: Int32) { self.fd = fd }
}
final class Reader: @unchecked Sendable {
    let handle: FileHandle
    var waiter: Waiter?
    init(_ fd: Int32) { handle = FileHandle(fileDescriptor: fd, closeOnDealloc: false) }
}
final class Watcher: @unchecked Sendable {
    var source: (any DispatchSourceRead)?
    var waiter: Waiter?
}
final class Pool: @unchecked Sendable {
    let first: Connection
    let second: Connection
    var waiters: [Waiter] = []
    init(_ first: Connection, _ second: Connection) { (self.first, self.second) = (first, second) }
}
final class Box {
    let waiter: Waiter
    init(_ waiter: Waiter) { self.waiter = waiter }
}

nonisolated(unsafe) var keep: [Any] = []

func receive(_ descriptor: Int32, _ size: Int, _ flags: Int32 = 0) {
    var bytes = [UInt8](repeating: 0, count: size)
    _ = recv(descriptor, &bytes, size, flags)  // receives
}

func waitInCalls() {
    let silent = connection(), half = connection(), full = connection()
    blocking("io tcp \(silent.client) \(silent.peer) established sure") { receive(silent.client, 10) }
    _ = send(half.server, "half", 4, 0)
    blocking("io tcp \(half.client) \(half.peer) established sure") { receive(half.client, 100, Int32(MSG_WAITALL)) }
    blocking("io tcp \(full.client) \(full.peer) send-buffer-full sure") {
        let bytes = [UInt8](repeating: 1, count: 1 << 16)
        while send(full.client, bytes, bytes.count, 0) > 0 {}
    }
    // The second connection to a server that takes none finds its queue full.
    let (_, port) = server(backlog: 0)
    _ = withAddress(port) { connect(stream(), $0, $1) }
    let late = stream()
    blocking("io tcp \(late) 127.0.0.1:\(port) connecting sure") { _ = withAddress(port) { connect(late, $0, $1) } }
    let (listener, _) = server()
    blocking("io tcp \(listener) - listening sure") { _ = accept(listener, nil, nil) }
    let polled = connection(), other = connection()
    blocking("io tcp \(polled.client) \(polled.peer) established sure") {
        var one = pollfd(fd: polled.client, events: Int16(POLLIN), revents: 0)
        _ = poll(&one, 1, -1)
    }
    blocking("none") {
        var two = [polled, other].map { pollfd(fd: $0.client, events: Int16(POLLIN), revents: 0) }
        _ = poll(&two, 2, -1)
    }
    var ends: [Int32] = [0, 0]
    _ = check(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends), "socketpair")
    let end = ends[0]
    blocking("io unix \(end) - established sure") { receive(end, 1) }
    let path = NSTemporaryDirectory() + "hopscope-sockets-\(getpid())"
    let named = stream(AF_UNIX), client = stream(AF_UNIX)
    _ = check(withPath(path) { bind(named, $0, $1) }, "bind")
    _ = check(listen(named, 1), "listen")
    _ = check(withPath(path) { connect(client, $0, $1) }, "connect")
    _ = accept(named, nil, nil)
    unlink(path)
    blocking("io unix \(client) \(path) established sure") { receive(client, 1) }
    _ = check(pipe(&ends), "pipe")
    let reading = ends[0]
    blocking("io pipe \(reading) - - sure") {
        var byte: UInt8 = 0
        _ = read(reading, &byte, 1)
    }
}

func waitInHolders() {
    let closed = connection(), handled = connection(), watched = connection(), behind = connection()
    let object = Connection(closed.client)
    close(closed.server)
    Task(name: "io tcp \(closed.client) \(closed.peer) closed-by-peer likely") { await withCheckedContinuation { object.waiter = $0 } }
    let reader = Reader(handled.client)
    _ = send(handled.server, "data", 4, 0)
    Task(name: "io tcp \(handled.client) \(handled.peer) unread likely") { await withCheckedContinuation { reader.waiter = $0 } }
    Task(name: "io tcp \(watched.client) \(watched.peer) established likely") {
        await withCheckedContinuation { waiter in
            let source = DispatchSource.makeReadSource(fileDescriptor: watched.client)
            source.setEventHandler { waiter.resume() }
            source.resume()
            keep.append(source)
        }
    }
    let watcher = Watcher()
    let source = DispatchSource.makeReadSource(fileDescriptor: behind.client)
    watcher.source = source
    source.setEventHandler { watcher.waiter?.resume() }
    source.resume()
    Task(name: "io tcp \(behind.client) \(behind.peer) established likely") { await withCheckedContinuation { watcher.waiter = $0 } }
    let pool = Pool(Connection(connection().client), Connection(connection().client))
    Task(name: "none") { await withCheckedContinuation { pool.waiters.append($0) } }
    let session = Session(connection().client)
    Task(name: "none") {
        withUnsafeCurrentTask { session.worker = unsafeBitCast($0!, to: Int.self) }
        try? await Task.sleep(nanoseconds: 1_000_000_000_000)
    }
    keep += [object, reader, watcher, pool, session]
}

func waitInThread() {
    let read = connection()
    Task(name: "io tcp \(read.client) \(read.peer) established likely") {
        await withCheckedContinuation { waiter in
            Thread.detachNewThread {
                receive(read.client, 1)
                waiter.resume()
            }
        }
    }
}

@main struct Sockets {
    static func main() async {
        waitInCalls()
        waitInHolders()
        waitInThread()
        print("ready")
        fflush(stdout)
        while true { try? await Task.sleep(nanoseconds: 1_000_000_000_000) }
    }
}
