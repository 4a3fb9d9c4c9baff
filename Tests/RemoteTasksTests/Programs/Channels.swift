// Tasks that wait for connections whose objects are linked as SwiftNIO links its own. The module is called NIOPosix, and the compiler is told
// to import another one, Client. The name of a task says
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

/// A value with a lock, as the requests of clients have it.
final class LockedValue: ManagedBuffer<Waiter?, Void> {
    static func make() -> ManagedBuffer<Waiter?, Void> { LockedValue.create(minimumCapacity: 1) { _ in nil } }
}
/// A promise and the functions that await it.
final class EventLoopFuture: @unchecked Sendable { var callbacks: [() -> Void] = [] }
/// Its block has room for a word behind its properties.
final class OldBuffer {
    let (one, other) = (1, 2)
}

/// The handlers of a client on one connection, with the request that it works on.
func addClient(to channel: SocketChannel, _ pool: ClientPool) -> (state: ManagedBuffer<Waiter?, Void>, future: EventLoopFuture) {
    let (state, promise, future) = (LockedValue.make(), EventLoopFuture(), EventLoopFuture())
    promise.callbacks.append { for callback in future.callbacks { callback() } }
    let handler = ClientHandler(request: ClientRequest(state: state, promise: promise), pool: pool)
    channel.pipeline.head = ChannelHandlerContext(handler, next: channel.pipeline.head)
    return (state, future)
}

/// Handlers of one connection in whose states only old words lead to objects: to one of another module than the handler's, and to a client's.
func addOldStates(to channel: SocketChannel, _ timer: Timer, _ pool: ClientPool) {
    let (handler, own) = (ClientHandler(request: nil, pool: ClientPool()), OwnHandler())
    withUnsafeMutableBytes(of: &handler.state) { bytes in
        bytes.storeBytes(of: UInt(bitPattern: Unmanaged.passUnretained(timer).toOpaque()), toByteOffset: 8, as: UInt.self)
    }
    withUnsafeMutableBytes(of: &own.state) { bytes in
        bytes.storeBytes(of: UInt(bitPattern: Unmanaged.passUnretained(pool).toOpaque()), toByteOffset: 8, as: UInt.self)
    }
    for handler in [handler, own] as [AnyObject] { channel.pipeline.head = ChannelHandlerContext(handler, next: channel.pipeline.head) }
}
final class OwnHandler {
    var state = ClientState()
}

/// Handlers of one connection in which only old words lead to an object.
func addOldWords(to channel: SocketChannel, _ old: Alone) {
    let word = UInt(bitPattern: Unmanaged.passUnretained(old).toOpaque())
    let behind = OldBuffer()
    Unmanaged.passUnretained(behind).toOpaque().storeBytes(of: word, toByteOffset: 32, as: UInt.self)
    var numbers: ContiguousArray<Int?> = [1, nil, 3]
    numbers.withUnsafeMutableBytes { $0.storeBytes(of: word, toByteOffset: 16, as: UInt.self) }
    // An enumeration without values has one byte, and the object's address ends in zeros.
    let small = Small()
    Unmanaged.passUnretained(small).toOpaque().storeBytes(of: word, toByteOffset: 16, as: UInt.self)
    withUnsafeMutableBytes(of: &small.maybe) { $0.storeBytes(of: word, as: UInt.self) }
    withUnsafeMutableBytes(of: &small.any) { $0.storeBytes(of: word, toByteOffset: 8, as: UInt.self) }
    let queue = _DequeBuffer.create(minimumCapacity: 4) { _ in (4, 1, 1) }
    queue.withUnsafeMutablePointerToElements { elements in
        for index in 0..<4 { elements[index] = index == 1 ? 0 : word }
    }
    let handlers = [behind, Numbers(numbers), small, queue] as [AnyObject]
    for handler in handlers { channel.pipeline.head = ChannelHandlerContext(handler, next: channel.pipeline.head) }
}
final class Timed: @unchecked Sendable { var timer: Timer? }
enum Phase { case idle, busy }
struct Named {
    var number: Int, object: Alone
}
protocol Labelled {}
struct Label: Labelled { var number = 1 }
final class Small {
    var phase = Phase.idle
    var maybe: Named?
    var any: any Labelled = Label()
}
/// The buffer of a `Deque`: its capacity, the number of its elements, the first one's place.
// swift-format-ignore: NoLeadingUnderscores
final class _DequeBuffer: ManagedBuffer<(Int, Int, Int), UInt> {}
final class Numbers {
    let numbers: ContiguousArray<Int?>
    init(_ numbers: ContiguousArray<Int?>) { self.numbers = numbers }
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

/// An object whose address ends in zeros.
func makeOld() -> Alone {
    var made = [Alone()]
    while UInt(bitPattern: Unmanaged.passUnretained(made[made.count - 1]).toOpaque()) & 0xff != 0 { made.append(Alone()) }
    return made[made.count - 1]
}
let everyone = Everyone(), alone = Alone(), old = makeOld(), pool = ClientPool()

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
            let (state, future) = addClient(to: channel, pool)
            Task(name: "io \(descriptor) \(peer)") { await withCheckedContinuation { state.header = $0 } }
            Task(name: "io \(descriptor) \(peer)") {
                await withUnsafeContinuation { waiter in future.callbacks.append { waiter.resume() } }
            }
        }
        let pipeline = first.channels[0].pipeline
        pipeline.head = ChannelHandlerContext(Responder { shared.count + first.channels.count }, next: pipeline.head)
        Task(name: "none") { await withCheckedContinuation { kept.waiter = $0 } }
        Task(name: "none") { await withCheckedContinuation { everyone.waiter = $0 } }
        Task(name: "none") { await withCheckedContinuation { alone.waiter = $0 } }
        // A pool has the requests that wait for any of its connections. One of two pools belongs to one connection only.
        let single = ClientPool()
        let handler = ClientHandler(request: nil, pool: single)
        first.channels[1].pipeline.head = ChannelHandlerContext(handler, next: first.channels[1].pipeline.head)
        Task(name: "none") { await withCheckedContinuation { single.waiters.append($0) } }
        Task(name: "none") { await withCheckedContinuation { pool.next = $0 } }
        addOldWords(to: first.channels[2], old)
        Task(name: "none") { await withCheckedContinuation { old.waiter = $0 } }
        let oldPool = ClientPool()
        Task(name: "none") { await withCheckedContinuation { oldPool.next = $0 } }
        let timed = Timed()
        Task(name: "none") {
            await withCheckedContinuation { waiter in
                timed.timer = Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in waiter.resume() }
                addOldStates(to: first.channels[0], timed.timer!, oldPool)
            }
        }
        print("ready")
        fflush(stdout)
        while true { try? await Task.sleep(nanoseconds: 1_000_000_000_000) }
    }
}
