// Tasks that wait for a continuation, each held in another way, and tasks whose continuation is lost. The name of a task says what holds its
// continuation: `held TYPE FIELD`, or `lost`. `sealed stream` reads a stream that nothing else can send to, and nothing runs `sealed job`.
import Dispatch
import Foundation
import Synchronization

typealias Checked = CheckedContinuation<Int, Never>
typealias Unsafe = UnsafeContinuation<Int, Never>

final class ResponsePool: @unchecked Sendable { var waiters: [Int32: Checked] = [:] }
final class RawPool: @unchecked Sendable { var raw: [Int32: Unsafe] = [:] }
actor Mailbox {
    var pending: [Checked] = []
    func wait() async -> Int { await withCheckedContinuation { pending.append($0) } }
    func waitAndForget() async -> Int {
        await withUnsafeContinuation { (continuation: Unsafe) in
            forgotten.append(continuation)
            forgotten.removeAll(keepingCapacity: true)
        }
    }
    var forgotten: [Unsafe] = []
}
actor Slot {
    var one: Unsafe?
    func wait() async -> Int { await withUnsafeContinuation { one = $0 } }
}
final class Guarded: Sendable { let state = Mutex<[Checked]>([]) }
final class Promise: @unchecked Sendable {
    var callbacks: [(Int) -> Void] = []
    func whenDone(_ body: @escaping (Int) -> Void) { callbacks.append(body) }
}
struct Inner {
    var continuation: Checked?
    var number = 3
}
final class Pool: @unchecked Sendable { var inners: [Inner] = [] }
final class Anything: @unchecked Sendable { var value: Any = 0 }
enum State {
    case idle
    case waiting(Unsafe, since: Int)
}
final class Machine: @unchecked Sendable { var state = State.idle }
indirect enum Node {
    case end
    case next(Checked, Node)
}
final class Chain: @unchecked Sendable { var head = Node.end }
final class Box {
    let continuation: Unsafe
    init(_ continuation: Unsafe) { self.continuation = continuation }
}
final class Base: @unchecked Sendable { var number = 0 }
class Parent: @unchecked Sendable { var inherited: Unsafe? }
final class Child: Parent, @unchecked Sendable { var own = 0 }
protocol Handler { var label: String { get } }
struct Labels: Handler {
    var label = "a", others = ["b", "c"], more = (1, 2, 3)
}
struct Nothing: Handler {
    var label: String { "" }
}
enum Value {
    case number(Int)
    case waiter(Int, Int, Unsafe)
}
/// A structure with a value that it does not have at times.
struct Recent {
    var last: Inner?
    var number = 1
}
/// An object with a value of a type that only its class's argument tells.
final class Processor<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}
/// Memory of values that do not fill it, and that keeps what was there before: an `any Handler` has three words for its value, of which one
/// refers to a large value, and none is used for one without content.
final class Log: @unchecked Sendable {
    var handler: any Handler = Labels()
    var none: any Handler = Nothing()
    var value = Value.number(1)
    var values = [1: Value.number(2)]
    var recent = Recent()
    let processor = Processor(Recent())
    func leave(_ continuation: Unsafe) {
        func leave<Memory>(at places: [Int], of memory: inout Memory) {
            withUnsafeMutableBytes(of: &memory) { words in
                for place in places { words.storeBytes(of: continuation, toByteOffset: place, as: Unsafe.self) }
            }
        }
        leave(at: [8, 16], of: &handler)
        leave(at: [0, 8, 16], of: &none)
        leave(at: [16], of: &value)
        leave(at: [16], of: &values[1]!)
        leave(at: [8], of: &recent)
        leave(at: [8], of: &processor.value)
    }
}
final class Reused: @unchecked Sendable {
    let lock = Mutex<Void>(())
    var many: [Unsafe] = []
    var entries: [Int: Unsafe] = [:]
    var state = State.idle
    var maybe: Checked?
}

/// A value with a lock, as libraries have it.
final class Storage: ManagedBuffer<[Checked], Void> {
    static func make() -> ManagedBuffer<[Checked], Void> { Storage.create(minimumCapacity: 1) { _ in [] } }
}
final class Boxed: @unchecked Sendable { let state = Storage.make() }
/// A promise whose functions are those of a generic type.
final class Later<Value>: @unchecked Sendable {
    var callbacks: [(Value) -> Void] = []
    func whenDone(_ body: @escaping (Value) -> Void) { callbacks.append(body) }
    func get() async -> Value { await withUnsafeContinuation { held in whenDone { held.resume(returning: $0) } } }
}
enum Phase { case idle, busy }
final class Phased: @unchecked Sendable { var phase = Phase.idle }
final class Stepped<Value>: @unchecked Sendable {
    enum Step { case idle, busy }
    var step = Step.idle
}
final class Settings: @unchecked Sendable { var limit: Duration? }
final class Alone: Sendable { let one = 1 }
final class Limits: @unchecked Sendable { var limit: (secondsComponent: Int64, attosecondsComponent: Int64)? }

nonisolated(unsafe) var keep: [AnyObject] = []
nonisolated(unsafe) var globalContinuation: Unsafe?
let pool = ResponsePool(), rawPool = RawPool(), mailbox = Mailbox(), slot = Slot(), guarded = Guarded(), promise = Promise()
let inners = Pool(), anything = Anything(), machine = Machine(), chain = Chain(), child = Child(), reused = Reused()
let boxed = Boxed(), later = Later<Int>()
let (stream, streamSource) = AsyncStream<Int>.makeStream()
let silent = DispatchQueue(label: "silent")

func lose() async -> Int { await withUnsafeContinuation { (continuation: Unsafe) in _ = continuation } }
func loseChecked() async -> Int { await withCheckedContinuation { (continuation: Checked) in _ = continuation } }
func loseInClosure() async -> Int {
    await withUnsafeContinuation { (continuation: Unsafe) in
        let promise = Promise()
        promise.whenDone { continuation.resume(returning: $0) }
    }
}
func loseInArray() async -> Int {
    await withUnsafeContinuation { (continuation: Unsafe) in
        reused.lock.withLock { _ in
            reused.many.append(continuation)
            reused.many.removeLast()
        }
    }
}
func loseInDictionary(_ key: Int) async -> Int {
    await withUnsafeContinuation { (continuation: Unsafe) in
        reused.lock.withLock { _ in
            reused.entries[key] = continuation
            reused.entries[key] = nil
        }
    }
}
func loseInState() async -> Int {
    await withUnsafeContinuation { (continuation: Unsafe) in
        reused.lock.withLock { _ in
            reused.state = .waiting(continuation, since: 1)
            reused.state = .idle
        }
    }
}
func loseInBlock() async -> Int {
    await withUnsafeContinuation { (continuation: Unsafe) in
        let item = DispatchWorkItem { continuation.resume(returning: 1) }
        item.cancel()
        silent.async(execute: item)
    }
}
/// The duration is nil, and where it would be is an old word.
func loseInDuration() async -> Int {
    await withUnsafeContinuation { (continuation: Unsafe) in
        let settings = Settings()
        withUnsafeMutableBytes(of: &settings.limit) { $0.storeBytes(of: unsafeBitCast(continuation, to: UInt.self), as: UInt.self) }
        reused.lock.withLock { _ in keep.append(settings) }
    }
}
/// The tuple is nil, and where it would be is an old word.
func loseInTuple() async -> Int {
    await withUnsafeContinuation { (continuation: Unsafe) in
        let limits = Limits()
        withUnsafeMutableBytes(of: &limits.limit) { $0.storeBytes(of: unsafeBitCast(continuation, to: UInt.self), as: UInt.self) }
        reused.lock.withLock { _ in keep.append(limits) }
    }
}
/// The room of a string has an old word behind the string's end.
func loseInString() async -> Int {
    await withUnsafeContinuation { (continuation: Unsafe) in
        let text = String(unsafeUninitializedCapacity: 100) { room in
            room.update(repeating: 97)
            UnsafeMutableRawBufferPointer(room).storeBytes(of: unsafeBitCast(continuation, to: UInt.self), toByteOffset: 64, as: UInt.self)
            return 40
        }
        reused.lock.withLock { _ in texts.append(text) }
    }
}
/// C's memory begins with the words of an object that has ended, as if they had not been overwritten.
func loseInDeadObject() async -> Int {
    await withUnsafeContinuation { (continuation: Unsafe) in
        let old = malloc(40)!
        memcpy(old, Unmanaged.passUnretained(dead).toOpaque(), 16)
        old.storeBytes(of: 0x1_0000_0003, toByteOffset: 8, as: UInt.self)
        old.storeBytes(of: continuation, toByteOffset: 16, as: Unsafe.self)
        reused.lock.withLock { _ in labels.append(old.assumingMemoryBound(to: CChar.self)) }
    }
}
/// An enumeration without values has one byte. That byte and those behind it are an old word, as nothing reads them.
func loseInPhase() async -> Int {
    await withUnsafeContinuation { (continuation: Unsafe) in
        let word = unsafeBitCast(continuation, to: UInt.self)
        for object in [Phased(), Stepped<Int>()] as [AnyObject] {
            Unmanaged.passUnretained(object).toOpaque().storeBytes(of: word, toByteOffset: 16, as: UInt.self)
            reused.lock.withLock { _ in keep.append(object) }
        }
    }
}
/// Gives a continuation to a new thread, in a box that `run` takes.
func handOver(_ continuation: Unsafe, to run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?) {
    var thread = pthread_t()
    pthread_create(&thread, nil, run, Unmanaged.passRetained(Box(continuation)).toOpaque())
}
func unbox(_ pointer: UnsafeMutableRawPointer?) -> Unsafe { Unmanaged<Box>.fromOpaque(pointer!).takeRetainedValue().continuation }

@inline(never) func holdOnStack() async -> Int {
    await withUnsafeContinuation { (continuation: Unsafe) in
        handOver(continuation) { pointer in
            var words = (unbox(pointer), 0)
            withUnsafeMutablePointer(to: &words) { _ in sleep(10_000) }
            words.0.resume(returning: 1)
            return nil
        }
    }
}

/// Leaves a continuation that nothing holds on the part of a thread's stack which the next call uses without writing to it.
@inline(never) func dropOnStack() async -> Int {
    await withUnsafeContinuation { (continuation: Unsafe) in
        handOver(continuation) { pointer in
            writeOnStack(unbox(pointer))
            sleepOnStack()
            return nil
        }
    }
}
@inline(never) func writeOnStack(_ continuation: Unsafe) {
    withUnsafeTemporaryAllocation(of: Unsafe.self, capacity: 256) { $0.initialize(repeating: continuation) }
}
@inline(never) func sleepOnStack() {
    _ = withUnsafeTemporaryAllocation(of: UInt64.self, capacity: 256) { _ in sleep(10_000) }
}

func holdAndLog() async -> Int {
    await withUnsafeContinuation { (continuation: Unsafe) in
        let logs = (0..<48).map { _ in Log() }
        rawPool.raw[6] = continuation
        for log in logs + [Log()] { log.leave(continuation) }
        keep += logs
    }
}

/// The ends of a stream.
final class Ends: @unchecked Sendable {
    var stream: AsyncStream<Int>?
    var source: AsyncStream<Int>.Continuation?
}
final class ThrowingEnds: @unchecked Sendable {
    let stream: AsyncThrowingStream<Int, any Error>
    let source: AsyncThrowingStream<Int, any Error>.Continuation
    init() { (stream, source) = AsyncThrowingStream<Int, any Error>.makeStream() }
}
/// A stream of continuations: the reading end gives them away.
final class Inbox: @unchecked Sendable { var stream: AsyncStream<Unsafe>? }
/// An executor that never runs its jobs.
final class Lane: SerialExecutor, @unchecked Sendable {
    let lock = Mutex<Void>(())
    let keepsJobs: Bool
    var jobs: [UnownedJob] = []
    init(keepsJobs: Bool) { self.keepsJobs = keepsJobs }
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if keepsJobs { lock.withLock { _ in jobs.append(job) } }
    }
}
actor Worker {
    nonisolated let lane: Lane
    nonisolated var unownedExecutor: UnownedSerialExecutor { lane.asUnownedSerialExecutor() }
    init(keepsJobs: Bool) { lane = Lane(keepsJobs: keepsJobs) }
    func work() {}
}
let ends = Ends(), throwingEnds = ThrowingEnds(), inbox = Inbox(), sourceless = Ends()
let slowWorker = Worker(keepsJobs: true), droppingWorker = Worker(keepsJobs: false)

func holdEnds() {
    (ends.stream, ends.source) = AsyncStream<Int>.makeStream()
    let (waiters, waitersSource) = AsyncStream<Unsafe>.makeStream()
    inbox.stream = waiters
    keep += [ends, throwingEnds, inbox, sourceless, slowWorker, droppingWorker]
    Task(name: "held Ends source") { for await _ in ends.stream! {} }
    Task(name: "held ThrowingEnds source") { for try await _ in throwingEnds.stream {} }
    Task(name: "held Inbox stream") { await withUnsafeContinuation { _ = waitersSource.yield($0) } }
    Task(name: "held Lane jobs") { await slowWorker.work() }
}

/// In this way, because a function's own variables are in use until it returns.
@inline(never) func read(_ way: Int) async {
    switch way {
    case 0:
        for await _ in AsyncStream<Int>.makeStream().stream {}
    case 1:
        sourceless.stream = AsyncStream<Int>.makeStream().stream
        for await _ in sourceless.stream! {}
    case 2: while await sourceless.stream!.first(where: { _ in true }) != nil {}
    case 3:
        let stream = AsyncThrowingStream<Int, any Error> { source in source.onTermination = { _ in source.finish() } }
        do { for try await _ in stream {} } catch {}
    default: await droppingWorker.work()
    }
}

nonisolated(unsafe) var parked: [Unsafe] = []
func park() async -> Int {
    await withUnsafeContinuation { (continuation: Unsafe) in reused.lock.withLock { _ in parked.append(continuation) } }
}
@inline(never) func send(_ source: AsyncStream<Int>.Continuation) async {
    source.yield(1)
    await Task.yield()
}
/// The source is used once more when this function goes on.
func keepInFrame() async {
    let (stream, source) = AsyncStream<Int>.makeStream()
    Task(name: "framed used") { for await _ in stream {} }
    await send(source)
    _ = await park()
    source.finish()
}
/// The frame keeps an old word.
func leaveInFrame() async {
    var source: AsyncStream<Int>.Continuation?
    let stream = AsyncStream<Int> { source = $0 }
    Task(name: "framed old") { for await _ in stream {} }
    await send(source!)
    source = nil
    _ = await park()
}

func sealAll() {
    Task(name: "keeper") { await keepInFrame() }
    Task(name: "keeper") { await leaveInFrame() }
    for way in 0..<5 {
        Task(name: way < 4 ? "sealed stream \(way)" : "sealed job") {
            // The third one reads what the second one has made.
            while way == 2, sourceless.stream == nil { await Task.yield() }
            await read(way)
        }
    }
}

func holdAll() {
    keep = [pool, rawPool, guarded, promise, inners, anything, machine, chain, child, reused, boxed, later]
    Task(name: "held ResponsePool waiters") { await withCheckedContinuation { pool.waiters[5] = $0 } }
    Task(name: "held RawPool raw") { await holdAndLog() }
    Task(name: "held Mailbox pending") { await mailbox.wait() }
    Task(name: "held Slot one") { await slot.wait() }
    Task(name: "held Guarded state") { await withCheckedContinuation { held in guarded.state.withLock { $0.append(held) } } }
    Task(name: "held Promise callbacks") { await withCheckedContinuation { held in promise.whenDone { held.resume(returning: $0) } } }
    Task(name: "held Pool inners") { await withCheckedContinuation { inners.inners.append(Inner(continuation: $0)) } }
    Task(name: "held Anything value") { await withCheckedContinuation { (held: Checked) in anything.value = held } }
    Task(name: "held Machine state") { await withUnsafeContinuation { machine.state = .waiting($0, since: 3) } }
    Task(name: "held Chain head") { await withCheckedContinuation { chain.head = .next($0, chain.head) } }
    Task(name: "held Boxed state") { await withCheckedContinuation { boxed.state.header.append($0) } }
    Task(name: "held Later callbacks") { await later.get() }
    Task(name: "held Child inherited") { await withUnsafeContinuation { child.inherited = $0 } }
    Task(name: "held global globalContinuation") { await withUnsafeContinuation { globalContinuation = $0 } }
    Task(name: "held global cell") {
        await withUnsafeContinuation {
            let place = UnsafeMutablePointer<Unsafe>.allocate(capacity: 1)
            place.initialize(to: $0)
            cell = place
        }
    }
    Task(name: "held global plain") {
        await withUnsafeContinuation {
            let memory = makeBytes()
            memory.storeBytes(of: $0, toByteOffset: 300_000, as: Unsafe.self)
            plain = memory
        }
    }
    Task(name: "packed") {
        await withUnsafeContinuation { (continuation: Unsafe) in
            let memory = makeBytes(), page = 4096
            // The word begins at the end of one page and ends in the next one.
            let end = page - Int(bitPattern: memory) % page + 100 * page
            memory.storeBytes(of: unsafeBitCast(continuation, to: UInt.self), toByteOffset: end - 4, as: UInt.self)
            packed = memory
        }
    }
    Task(name: "held global streamSource") { for await _ in stream {} }
    Task(name: "held system timer") {
        _ = await withCheckedContinuation { (held: Checked) in
            silent.asyncAfter(deadline: .now() + 10_000) { held.resume(returning: 1) }
        }
    }
}

nonisolated(unsafe) var cell: UnsafeMutablePointer<Unsafe>?
nonisolated(unsafe) var plain: UnsafeMutableRawPointer?
nonisolated(unsafe) var packed: UnsafeMutableRawPointer?
/// Memory of many pages in which nothing is an address.
func makeBytes() -> UnsafeMutableRawPointer {
    let memory = malloc(1 << 20)!
    memset(memory, 0xee, 1 << 20)
    return memory
}
nonisolated(unsafe) var labels: [UnsafeMutablePointer<CChar>] = []
nonisolated(unsafe) var texts: [String] = []
let dead = Alone()

/// The C library gives the memory in which a continuation was to a text that does not fill it.
func loseBehindText() async -> Int {
    await withUnsafeContinuation { (continuation: Unsafe) in
        let (room, offset) = (56, 48)
        let old = malloc(room)!
        memset(old, 0, room)
        old.storeBytes(of: continuation, toByteOffset: offset, as: Unsafe.self)
        _ = write(-1, old, room)  // so that the compiler does not leave out the store
        free(old)
        reused.lock.withLock { _ in labels.append(strdup(String(repeating: "a", count: offset - 1))) }
    }
}

func loseAll(_ count: Int) {
    for number in 0..<count {
        Task(name: "lost") {
            for _ in 0..<number % 3 { await Task.yield() }
            switch number % 14 {
            case 0: return await lose()
            case 1: return await loseChecked()
            case 2: return await loseInClosure()
            case 3: return await loseInArray()
            case 4: return await loseInDictionary(number)
            case 5: return await loseInState()
            case 6: return await loseInBlock()
            case 7: return await loseInDuration()
            case 8: return await loseBehindText()
            case 9: return await loseInPhase()
            case 10: return await loseInTuple()
            case 11: return await loseInString()
            case 12: return await loseInDeadObject()
            default: return await mailbox.waitAndForget()
            }
        }
    }
}

/// A continuation held in one of several ways, `count` of them.
final class Crowd: @unchecked Sendable {
    let lock = Mutex<Void>(())
    var byNumber: [Int: Checked] = [:]
    var list: [Unsafe] = []
    var callbacks: [(Int) -> Void] = []
}
let crowd = Crowd()

func holdCrowd(_ count: Int) {
    for number in 0..<count {
        Task(name: "crowd") {
            switch number % 3 {
            case 0: return await withCheckedContinuation { held in crowd.lock.withLock { _ in crowd.byNumber[number] = held } }
            case 1: return await withUnsafeContinuation { held in crowd.lock.withLock { _ in crowd.list.append(held) } }
            default:
                return await withCheckedContinuation { (held: Checked) in
                    crowd.lock.withLock { _ in crowd.callbacks.append { held.resume(returning: $0) } }
                }
            }
        }
    }
}

@main
struct Holders {
    /// The arguments: the number of lost tasks, of held ones, and of mebibytes of other memory.
    static func main() async {
        let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        sealAll()
        holdAll()
        holdEnds()
        loseAll(numbers.first ?? 8)
        holdCrowd(numbers.dropFirst().first ?? 0)
        if CommandLine.arguments.contains("thread") {
            Task(name: "stacked") { _ = await holdOnStack() }
            Task(name: "dropped") { _ = await dropOnStack() }
        }
        for index in 0..<(numbers.dropFirst(2).first ?? 0) * 16 {
            let data = NSMutableData(length: 65_536)!
            memset(data.mutableBytes, Int32(index & 255), 65_536)
            keep.append(data)
        }
        print("ready")
        fflush(stdout)
        while true { try? await Task.sleep(nanoseconds: 1_000_000_000_000) }
    }
}
