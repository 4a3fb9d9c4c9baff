import CRemoteProcess
import Glibc

/// A thread of another process.
package struct RemoteThread: Sendable {
    package let id: Int32
    /// Empty in a core file.
    package internal(set) var name = ""
    /// The kernel's letter for the thread's state: `R` while it runs. Nil in a core file.
    package internal(set) var state: Character?
    /// The number of the system call in which it blocks.
    package internal(set) var call: Int?
    /// The signal that ended the process in this thread. Nil in a running process, and for the other threads of a core file.
    package internal(set) var signal: Int32?
    /// The address of the task that the thread runs.
    package internal(set) var task: UInt64?
    /// The address of the actor that the thread serves.
    package internal(set) var actor: UInt64?
    /// The thread's native stack, innermost frame first: addresses inside the calls. Empty while the thread runs.
    package internal(set) var stack: [UInt64] = []
    /// The native stack of a thread that runs, a moment after the look. Empty if the kernel allows no sample.
    package internal(set) var sampled: [UInt64] = []
    /// The asynchronous functions that called the task's innermost one, after the native stack.
    package internal(set) var frames: [UInt64] = []
    /// The Dispatch queue for which the thread waits.
    package internal(set) var queueWait: QueueWait?
    /// The descriptor on which the system call waits. Nil if it waits for something else, or for several.
    package internal(set) var descriptor: WaitedDescriptor?

    /// Whether the kernel lets this user sample the threads of own processes.
    package static let canBeSampled: Bool = {
        var own = remote_sample()
        own.thread = getpid()
        return remote_sample_stacks(&own, 1, 0)
    }()

    /// The addresses of all calls of the thread, innermost first.
    package var code: [UInt64] { stack.isEmpty ? sampled : stack + frames }
}

/// Reads threads without stopping them: a thread that waits in the kernel shows its stack pointer and its program counter.
struct ThreadReading {
    let process: RemoteProcess
    let reading: TaskReading
    /// True for the address of a task that a thread may run.
    let isRunning: (UInt64) -> Bool
    let isActor: (UInt64) -> Bool
    private let blocks: [Int32: UInt64]
    /// The number of words below a thread's control block that hold its thread-local variables. Below them is the thread's stack, where
    /// calls that have returned left addresses of tasks too.
    private let variables: Int

    private static let mostThreads = 1 << 15
    private static let mostNativeFrames = 96
    /// The distance above its stack pointer within which a thread's own records are looked for.
    private static let stackSize: UInt64 = 8 << 20

    /// `blocks` are the addresses of the threads' control blocks, and of memory that looks like one.
    init(
        _ process: RemoteProcess, _ reading: TaskReading, blocks: [UInt64], isRunning: @escaping (UInt64) -> Bool,
        isActor: @escaping (UInt64) -> Bool
    ) {
        self.process = process
        self.reading = reading
        self.isRunning = isRunning
        self.isActor = isActor
        let size = process.threadVariables
        variables = min(size > 0 ? size : ThreadLayout.variables, ThreadLayout.mostVariables) / 8
        self.blocks = Dictionary(
            blocks.compactMap { block in
                reading.reader.half(block &+ ThreadLayout.number).map { (Int32(bitPattern: $0), block) }
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The threads, and the number of further threads, which were not read.
    func threads() -> (read: [RemoteThread], unread: Int) {
        let (drafts, unread) = process.isCore ? draftsOfCore() : liveDrafts()
        let index = Self.indexOfTask(in: drafts, isRunning)
        let queues = QueueReading(reader: reading.reader, threads: Set(drafts.map(\.thread.id)))
        let descriptors = DescriptorTable(of: process)
        let threads = drafts.map { draft in
            var thread = draft.thread
            if draft.switches != nil || process.isCore { thread.queueWait = queues.wait(of: thread.id, stack: draft.registers.stack) }
            thread.descriptor = WaitedDescriptor.Purpose(draft.call.kind).flatMap { descriptors.descriptor(draft.call.descriptor, $0) }
            if let index, index < draft.words.count, isRunning(draft.words[index]) { thread.task = draft.words[index] }
            thread.actor = actor(of: draft)
            unwind(&thread, draft.registers)
            return thread
        }
        return (sampled(zip(threads, drafts).map(withCertainWait), indexOfTask: index), unread)
    }

    /// At most so many threads that run are sampled, for at most so many nanoseconds.
    private static let mostSamples = 64
    private static let sampleTime: UInt64 = 30_000_000

    /// The threads with the stacks of those that run. A thread that runs another task by then keeps none: the stack would be told of the
    /// wrong task.
    private func sampled(_ threads: [RemoteThread], indexOfTask: Int?) -> [RemoteThread] {
        let running = threads.indices.filter { threads[$0].state == "R" && threads[$0].stack.isEmpty }.prefix(Self.mostSamples)
        guard !process.isCore, !running.isEmpty, RemoteThread.canBeSampled else { return threads }
        var samples = running.map { index in
            var sample = remote_sample()
            sample.thread = threads[index].id
            return sample
        }
        guard remote_sample_stacks(&samples, samples.count, Self.sampleTime) else { return threads }
        reading.reader.forget()
        var threads = threads
        for (index, sample) in zip(running, samples) {
            if let task = threads[index].task {
                let variables = blocks[threads[index].id].flatMap(variables(below:))
                guard let indexOfTask, variables?[indexOfTask] == task else { continue }
            }
            threads[index].sampled = withUnsafeBytes(of: sample.frames) { Array($0.bindMemory(to: UInt64.self).prefix(Int(sample.count))) }
        }
        return threads
    }

    /// A thread that has run meanwhile may wait for something else now. All other waits were there at one moment.
    private func withCertainWait(_ thread: RemoteThread, _ draft: Draft) -> RemoteThread {
        var thread = thread
        if thread.queueWait != nil || thread.descriptor != nil, !process.isCore, switches(of: thread.id) != draft.switches {
            (thread.queueWait, thread.descriptor) = (nil, nil)
        }
        return thread
    }

    /// The number of times that a thread has waited, as the kernel writes it.
    private func switches(of thread: Int32) -> String? {
        ProcFile("/proc/\(process.pid)/task/\(thread)/status").field("voluntary_ctxt_switches:")
    }

    /// A thread, before the reader knows its task.
    private struct Draft {
        var thread: RemoteThread
        var registers: remote_registers
        /// The number of times that the thread has waited, before it was read. Nil for a thread that runs, and in a core file.
        var switches: String?
        /// The system call in which the thread waits.
        var call = remote_call()
        /// The words below the thread's control block, which hold its thread-local variables.
        var words: [UInt64] = []
    }

    private func liveDrafts() -> ([Draft], unread: Int) {
        let ids = ProcFile.names(in: "/proc/\(process.pid)/task").compactMap { Int32($0) }.sorted()
        let drafts: [Draft] = ids.prefix(Self.mostThreads).compactMap { id in
            guard !process.isLate else { return nil }
            let folder = "/proc/\(process.pid)/task/\(id)"
            let stat = ProcFile("\(folder)/stat").text
            guard let end = stat.lastIndex(of: ")") else { return nil }
            var thread = RemoteThread(id: id)
            thread.name = ThreadName.read(id, of: process.pid)
            thread.state = stat[end...].dropFirst(2).first
            var registers = remote_registers()
            var call = -1
            let switches = switches(of: id)
            let isBlocked = remote_blocked_registers(process.raw, id, &registers, &call)
            registers.thread = blocks[id] ?? 0
            thread.call = isBlocked && call >= 0 ? call : nil
            var draft = draft(thread, registers)
            if isBlocked {
                draft.switches = switches
                // The kind of no call is `remote_call_other`.
                _ = remote_blocked_call(process.raw, id, &draft.call)
            }
            return draft
        }
        return (drafts, max(ids.count - Self.mostThreads, 0))
    }

    private func draftsOfCore() -> ([Draft], unread: Int) {
        var ids = [Int32](repeating: 0, count: Self.mostThreads)
        var registers = [remote_registers](repeating: remote_registers(), count: Self.mostThreads)
        let all = remote_core_threads(process.raw, &ids, &registers, Self.mostThreads)
        let count = min(all, Self.mostThreads)
        let signal = remote_core_signal(process.raw)
        let drafts = (0..<count).map { index in
            var thread = RemoteThread(id: ids[index])
            if index == 0, signal > 0 { thread.signal = signal }
            return draft(thread, registers[index])
        }
        return (drafts, all - count)
    }

    private func draft(_ thread: RemoteThread, _ registers: remote_registers) -> Draft {
        Draft(thread: thread, registers: registers, words: registers.thread == 0 ? [] : variables(below: registers.thread) ?? [])
    }

    /// The words below a thread's control block. Nil if they cannot be read.
    private func variables(below block: UInt64) -> [UInt64]? {
        reading.reader.words(block &- UInt64(variables * 8), count: variables)
    }

    // MARK: The task and the actor of a thread

    /// The offset of the runtime's variable that holds a thread's task. The offset is the same in all threads. The best candidate is the
    /// one at which the most threads have a running task and no thread has anything else. Beside this variable is the runtime's pointer to
    /// a record of the thread's executor, which is on the thread's stack.
    private static func indexOfTask(in drafts: [Draft], _ isRunning: (UInt64) -> Bool) -> Int? {
        var hits: [Int: Int] = [:]
        for draft in drafts {
            for (index, word) in draft.words.enumerated() where word != 0 && isRunning(word) { hits[index, default: 0] += 2 }
        }
        for index in hits.keys {
            for draft in drafts where index < draft.words.count {
                let word = draft.words[index]
                if word != 0, !isRunning(word) { hits[index, default: 0] -= 4 }
                if word != 0, isRunning(word), hasOwnStack(near: index, draft) { hits[index, default: 0] += 1 }
            }
        }
        return hits.filter { $0.value > 0 }.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
    }

    /// Whether a variable within 128 bytes points to the thread's own stack. The stack of a new thread lies below its control block.
    private static func hasOwnStack(near index: Int, _ draft: Draft) -> Bool {
        let nearby = max(index - 16, 0)...min(index + 16, draft.words.count - 1)
        let (low, high) = (draft.registers.stack, draft.registers.thread)
        return nearby.contains { low != 0 && draft.words[$0] >= low && draft.words[$0] < high && draft.words[$0] - low < stackSize }
    }

    /// The actor that a thread serves. One of the thread's variables points to a record on its stack, which begins with the executor.
    private func actor(of draft: Draft) -> UInt64? {
        let stack = draft.registers.stack
        guard stack != 0 else { return nil }
        for word in draft.words.reversed() where word >= stack && word - stack < Self.stackSize {
            if let executor = reading.reader.word(word), isActor(executor) { return executor }
        }
        return nil
    }

    // MARK: The stack of a thread

    private func unwind(_ thread: inout RemoteThread, _ registers: remote_registers) {
        guard registers.program_counter != 0 else { return }
        var frames = [remote_frame](repeating: remote_frame(), count: Self.mostNativeFrames)
        var registers = registers
        let count = remote_stack(process.raw, thread.id, &registers, &frames, frames.count)
        thread.stack = frames[..<count].map(\.address)
        guard thread.task != nil else { return }
        let contexts = frames[..<count].flatMap(contexts).filter { $0 != 0 }
        guard var innermost = contexts.first(where: { !reading.frames(resume: 0, context: $0).isEmpty }) else { return }
        // A function called last can still hold the context of its caller's caller in a register.
        for context in contexts where context != innermost && reading.leads(from: context, to: innermost) { innermost = context }
        thread.frames = reading.frames(resume: 0, context: innermost)
    }

    /// Words that may be the context of an asynchronous function's frame. The function keeps its context below its frame pointer, or in a
    /// register.
    private func contexts(_ frame: remote_frame) -> [UInt64] {
        let stored = frame.frame == 0 ? nil : reading.reader.word(frame.frame &- 8)
        let kept = frame.preserved
        return [stored ?? 0, kept.3, kept.0, kept.1, kept.2, kept.4]
    }
}
