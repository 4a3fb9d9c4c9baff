// The objects by which SwiftNIO's channels lead to what awaits them, for the programs Channels and Pools. Their module is called NIOPosix, and
// the compiler is told to import another one, Client.
import Foundation

@_silgen_name("epoll_create1") func makePoll(_ flags: Int32) -> Int32
@_silgen_name("epoll_ctl")
func changePoll(_ poll: Int32, _ operation: Int32, _ descriptor: Int32, _ event: UnsafeMutableRawPointer?) -> Int32

typealias Waiter = CheckedContinuation<Void, Never>

class BaseSocket {
    let descriptor: Int32
    init(_ descriptor: Int32) { self.descriptor = descriptor }
}
final class Socket: BaseSocket {}
class BaseChannel<SocketType: BaseSocket> {
    let socket: SocketType
    let pipeline = ChannelPipeline()
    let closePromise = EventLoopFuture()
    var pendingConnect: EventLoopFuture?
    init(_ socket: SocketType) { self.socket = socket }
}
final class SocketChannel: BaseChannel<Socket>, @unchecked Sendable {}
final class ChannelPipeline {
    var head: ChannelHandlerContext?
    /// The loop leads to all channels.
    let eventLoop = SelectableEventLoop.shared
}
final class SelectableEventLoop: @unchecked Sendable {
    static let shared = SelectableEventLoop()
    var channels: [SocketChannel] = []
}
final class ChannelHandlerContext {
    let handler: AnyObject
    var next: ChannelHandlerContext?
    init(_ handler: AnyObject, next: ChannelHandlerContext?) { (self.handler, self.next) = (handler, next) }
}
/// A promise and the functions that await it.
final class EventLoopFuture: @unchecked Sendable { var callbacks: [() -> Void] = [] }

func makeSocket() -> Int32 { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }

/// A socket of the loopback that listens.
final class Server {
    let descriptor = makeSocket()
    private var address = sockaddr_in()
    private var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    var name: String { "127.0.0.1:\(UInt16(bigEndian: address.sin_port))" }

    init(backlog: Int32 = 8) {
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let isListening = withAddress {
            bind(descriptor, $0, size) == 0 && listen(descriptor, backlog) == 0 && getsockname(descriptor, $0, &size) == 0
        }
        guard isListening else { fatalError("\(errno)") }
    }

    /// - Parameter waits: False for a server that does not answer.
    func connect(_ client: Int32, waits: Bool = true) {
        if !waits { _ = fcntl(client, F_SETFL, O_NONBLOCK) }
        guard withAddress({ Glibc.connect(client, $0, size) }) == 0 || !waits && errno == EINPROGRESS else { fatalError("\(errno)") }
    }

    private func withAddress<Result>(_ body: (UnsafeMutablePointer<sockaddr>) -> Result) -> Result {
        withUnsafeMutablePointer(to: &address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
    }
}

/// An epoll that watches descriptors by their numbers.
struct Poll {
    private let descriptor = makePoll(0)

    func add(_ socket: Int32) {
        // The events, then the data: two halves, because the kernel's record is packed.
        var event = (UInt32(1), UInt32(socket), UInt32(1))
        guard changePoll(descriptor, 1, socket, &event) == 0 else { fatalError("\(errno)") }
    }
}
