// Tasks that wait for connections whose objects are linked as SwiftNIO links its own. The name of a task says what it waits for:
// `io DESCRIPTOR PEER`, or `none`.
import Foundation

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
/// A lock behind the value, and room for a word behind the lock.
final class LargeLockedValue: ManagedBuffer<Waiter?, (Int, Int, Int, Int, Int)> {
    static func make() -> ManagedBuffer<Waiter?, (Int, Int, Int, Int, Int)> {
        let value = LargeLockedValue.create(minimumCapacity: 1) { _ in nil }
        value.withUnsafeMutablePointerToElements { $0.initialize(to: (0, 0, 0, 0, 0)) }
        return value
    }
}
/// A state with a lock. In the first case, the second word of the last one may be an old one.
final class LockedStep: ManagedBuffer<ClientStep, (Int, Int, Int, Int, Int)> {}
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

/// Requests of two connections that two tasks await. Behind each, an old word refers to the other task's continuation.
func addSwapped(_ channels: [SocketChannel], _ pool: ClientPool, peers: [String]) async {
    let values = channels.map { _ in LargeLockedValue.make() }
    for (channel, value) in zip(channels, values) {
        let handler = ClientHandler(request: ClientRequest(state: value, promise: EventLoopFuture()), pool: pool)
        channel.pipeline.head = ChannelHandlerContext(handler, next: channel.pipeline.head)
    }
    for index in 0..<2 {
        let (value, other) = (values[index], values[1 - index])
        let isStored = AsyncStream.makeStream(of: Void.self)
        Task(name: "io \(channels[index].socket.descriptor) \(peers[index])") {
            await withCheckedContinuation { waiter in
                value.header = waiter
                other.withUnsafeMutablePointerToElements { lock in
                    UnsafeMutableRawPointer(lock).storeBytes(of: unsafeBitCast(waiter, to: UInt.self), toByteOffset: 40, as: UInt.self)
                }
                isStored.continuation.finish()
            }
        }
        for await _ in isStored.stream {}
    }
}

/// A request of one connection that leads by an old word to a continuation which something else has.
func addOldRequest(to channel: SocketChannel, _ pool: ClientPool, _ parked: ClientPool) async {
    let value = LockedStep.create(minimumCapacity: 1) { _ in .idle }
    let handler = ClientHandler(request: ClientRequest(state: value, promise: EventLoopFuture()), pool: pool)
    channel.pipeline.head = ChannelHandlerContext(handler, next: channel.pipeline.head)
    let isStored = AsyncStream.makeStream(of: Void.self)
    Task(name: "none") {
        await withCheckedContinuation { waiter in
            parked.numbered[1] = waiter
            value.withUnsafeMutablePointers { header, _ in
                UnsafeMutableRawPointer(header).storeBytes(of: unsafeBitCast(waiter, to: UInt.self), toByteOffset: 8, as: UInt.self)
            }
            isStored.continuation.finish()
        }
    }
    for await _ in isStored.stream {}
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

func connect() -> (channel: SocketChannel, source: Source, peer: String) {
    let (channel, source, server) = (SocketChannel(Socket(makeSocket())), Source(), Server())
    server.connect(channel.socket.descriptor)
    channel.pipeline.head = ChannelHandlerContext(source, next: ChannelHandlerContext(Handler(source, everyone), next: nil))
    SelectableEventLoop.shared.channels.append(channel)
    return (channel, source, server.name)
}

/// An object whose address ends in zeros.
func makeOld() -> Alone {
    var made = [Alone()]
    // Memory of another size moves the objects by half an object, if they never came to such an address.
    var others: [UnsafeMutableRawPointer] = []
    while UInt(bitPattern: Unmanaged.passUnretained(made[made.count - 1]).toOpaque()) & 0xff != 0 {
        made.append(Alone())
        if made.count % 64 == 0 { others.append(malloc(40)) }
    }
    return made[made.count - 1]
}
let everyone = Everyone(), alone = Alone(), old = makeOld(), pool = ClientPool(), parked = ClientPool()

@main struct Channels {
    static func main() async {
        let poll = Poll()
        // An object of another module, which the closure of one connection's handler refers to.
        let (kept, shared, first) = (Alone(), NSMutableArray(), SelectableEventLoop.shared)
        shared.add(kept)
        var peers: [String] = []
        for _ in 0..<3 {
            let (channel, source, peer) = connect()
            peers.append(peer)
            let descriptor = channel.socket.descriptor
            poll.add(descriptor)
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
        await addOldRequest(to: first.channels[0], pool, parked)
        await addSwapped(Array(first.channels.prefix(2)), pool, peers: peers)
        print("ready")
        fflush(stdout)
        while true { try? await Task.sleep(nanoseconds: 1_000_000_000_000) }
    }
}
