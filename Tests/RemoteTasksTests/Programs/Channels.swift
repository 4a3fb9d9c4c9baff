// Tasks that wait for connections whose objects are linked as SwiftNIO links its own. The module is called NIOPosix. The name of a task says
// what it waits for: `io DESCRIPTOR PEER`, or `none`.
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
final class Handler {
    let source: Source
    let everyone: Everyone
    init(_ source: Source, _ everyone: Everyone) { (self.source, self.everyone) = (source, everyone) }
}
final class Source: @unchecked Sendable { var waiters: [Waiter] = [] }
/// All connections lead to it alike.
final class Everyone: @unchecked Sendable { var waiter: Waiter? }
final class Alone: @unchecked Sendable { var waiter: Waiter? }
/// What answers the requests of a connection.
final class Responder {
    let respond: () -> Int
    init(_ respond: @escaping () -> Int) { self.respond = respond }
}

func connect(_ number: Int) -> (channel: SocketChannel, source: Source, peer: String) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let (listener, client) = (socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0), socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            guard bind(listener, address, size) == 0, listen(listener, 1) == 0, getsockname(listener, address, &size) == 0,
                connect(client, address, size) == 0
            else { fatalError("\(errno)") }
        }
    }
    let (channel, source) = (SocketChannel(Socket(client)), Source())
    channel.pipeline.head = ChannelHandlerContext(source, next: ChannelHandlerContext(Handler(source, everyone), next: nil))
    SelectableEventLoop.shared.channels.append(channel)
    return (channel, source, "127.0.0.1:\(UInt16(bigEndian: address.sin_port))")
}

let everyone = Everyone(), alone = Alone()

@main struct Channels {
    static func main() async {
        let poll = makePoll(0)
        // An object of another module, which the closure of one connection's handler refers to.
        let (kept, shared, first) = (Alone(), NSMutableArray(), SelectableEventLoop.shared)
        shared.add(kept)
        for number in 0..<3 {
            let (channel, source, peer) = connect(number)
            let descriptor = channel.socket.descriptor
            // The events, then the data: two halves, because the kernel's record is packed.
            var event = (UInt32(1), UInt32(descriptor), UInt32(1))
            guard changePoll(poll, 1, descriptor, &event) == 0 else { fatalError("\(errno)") }
            Task(name: "io \(descriptor) \(peer)") { await withCheckedContinuation { source.waiters.append($0) } }
        }
        let pipeline = first.channels[0].pipeline
        pipeline.head = ChannelHandlerContext(Responder { shared.count + first.channels.count }, next: pipeline.head)
        Task(name: "none") { await withCheckedContinuation { kept.waiter = $0 } }
        Task(name: "none") { await withCheckedContinuation { everyone.waiter = $0 } }
        Task(name: "none") { await withCheckedContinuation { alone.waiter = $0 } }
        print("ready")
        fflush(stdout)
        while true { try? await Task.sleep(nanoseconds: 1_000_000_000_000) }
    }
}
