import CRemoteProcess

/// The parts of the threads' stacks that are in use, and what is not seen of the threads.
struct HolderThreads {
    struct Thread {
        let id: Int32
        let name: String
        /// The mapping of its stack.
        let stack: Range<UInt64>
        /// The part of the stack in use. Of a thread that waits for work, only the thread-local variables.
        let live: Range<UInt64>
        /// The address of its control block; 0 if unknown.
        let block: UInt64
        /// The bytes below the control block that hold thread-local variables.
        let variables: UInt64
        let registers: [UInt64]

        var step: ContinuationHolder.Step { .init(type: "thread", field: "\(id) \(name)") }
    }

    private(set) var threads: [Thread] = []
    /// The control blocks of threads that have ended. Their stacks are kept for new threads.
    private let endedBlocks: [UInt64]
    /// Whether a thread was on a processor, so that its stack and its registers are unknown.
    private(set) var isAnyRunning = false
    /// Whether a thread waits in a call whose caller may keep an address in a register that is not in memory.
    private(set) var hasUnknownRegisters = false
    private let ranges: [Range<UInt64>]

    /// The bytes below the stack pointer that a function may use.
    private static let redZone: UInt64 = 128
    /// The size of the C library's control block.
    private static let blockSize: UInt64 = 0x900
    private static let mostThreads = 1 << 15
    private static let mostFrames = 96
    /// The system calls of event loops, which keep no continuation in a register while they wait: `epoll_wait` and its siblings.
    private static let eventLoopCalls: Set<Int> = [232, 281, 441]

    /// `blocks` are the threads' control blocks, and memory that looks like one.
    init(_ process: RemoteProcess, _ reader: RemoteReader, blocks: [UInt64]) {
        ranges = process.ranges
        var byNumber: [Int32: UInt64] = [:]
        var ended: [UInt64] = []
        for block in blocks {
            guard let number = reader.half(block &+ ThreadLayout.number) else { continue }
            if number == 0 { ended.append(block) } else { byNumber[Int32(bitPattern: number)] = block }
        }
        endedBlocks = ended
        if process.isCore {
            var ids = [Int32](repeating: 0, count: Self.mostThreads)
            var registers = [remote_registers](repeating: remote_registers(), count: Self.mostThreads)
            let count = min(remote_core_threads(process.raw, &ids, &registers, Self.mostThreads), Self.mostThreads)
            for index in 0..<count { add(ids[index], registers[index], call: nil, byNumber, process) }
        } else {
            for id in ProcFile.names(in: "/proc/\(process.pid)/task").compactMap({ Int32($0) }).sorted() {
                var registers = remote_registers()
                var call = -1
                guard remote_blocked_registers(process.raw, id, &registers, &call) else {
                    isAnyRunning = true
                    continue
                }
                registers.thread = byNumber[id] ?? 0
                add(id, registers, call: call, byNumber, process)
            }
        }
    }

    private mutating func add(
        _ id: Int32, _ registers: remote_registers, call: Int?, _ blocks: [Int32: UInt64], _ process: RemoteProcess
    ) {
        let block = registers.thread != 0 ? registers.thread : blocks[id] ?? 0
        guard let range = ranges.first(where: { $0.contains(registers.stack) }) else {
            hasUnknownRegisters = true
            return
        }
        var frames = [remote_frame](repeating: remote_frame(), count: Self.mostFrames)
        var start = registers.is_complete ? registers : Self.marked(registers)
        let count = remote_stack(process.raw, id, &start, &frames, frames.count)
        let own = Self.innermostOwn(frames[..<count], process)
        let isIdle = own == nil
        if let own, let call, !Self.eventLoopCalls.contains(call), Self.usesUnknownRegister(frames[own..<count]) {
            hasUnknownRegisters = true
        }
        let hasBlock = block > registers.stack && range.contains(block)
        let end = hasBlock ? block + min(Self.blockSize, range.upperBound - block) : range.upperBound
        let size = process.threadVariables
        let variables = UInt64(min(size > 0 ? size : ThreadLayout.variables, ThreadLayout.mostVariables))
        var low = max(registers.stack, Self.redZone) - Self.redZone
        // The variables of the first thread are elsewhere.
        if isIdle, hasBlock || id == process.pid { low = hasBlock ? max(max(block, variables) - variables, low) : end }
        let all = withUnsafeBytes(of: registers.all) { Array($0.bindMemory(to: UInt64.self)) }
        threads.append(
            Thread(
                id: id, name: ThreadName.read(id, of: process.pid), stack: range,
                live: low..<end, block: block, variables: variables, registers: registers.is_complete && !isIdle ? all : []))
    }

    // MARK: Registers

    /// The value of a register that is not known. No address is like this.
    private static let mark: UInt64 = 0x5eed_0000_0000_5eed

    /// The registers of a blocked thread, with a mark in each one that the kernel does not tell and that a function preserves.
    private static func marked(_ registers: remote_registers) -> remote_registers {
        var marked = registers
        marked.is_complete = true
        (marked.all.3, marked.all.12, marked.all.13, marked.all.14, marked.all.15) = (mark, mark, mark, mark, mark)
        (marked.all.6, marked.all.7, marked.all.16) = (registers.frame, registers.stack, registers.program_counter)
        return marked
    }

    /// Whether a function of the program may use a register whose value is not in memory. `frames` begin with the innermost one of the
    /// program. A register that none of their functions has saved is used by none of them.
    private static func usesUnknownRegister(_ frames: ArraySlice<remote_frame>) -> Bool {
        guard let first = frames.first, first.frame != 0 else { return true }
        let registers = frames.map { [$0.preserved.0, $0.preserved.1, $0.preserved.2, $0.preserved.3, $0.preserved.4] }
        return registers[0].indices.contains { index in
            switch registers[0][index] {
            case 0: true
            case mark: !registers.allSatisfy { $0[index] == mark }
            case _: false
            }
        }
    }

    // MARK: Stacks

    /// The innermost frame of the program's own code in a stack. Nil for a thread that waits for work, which has none: its whole stack is of
    /// the system's libraries, or only `main` has called them, which does not return from the main loop of tasks.
    private static func innermostOwn(_ frames: ArraySlice<remote_frame>, _ process: RemoteProcess) -> Int? {
        var own: Int?
        var callee = ""
        for (index, frame) in frames.enumerated() {
            let module = process.moduleIndex(at: frame.address).map { process.modules[$0].name } ?? ""
            let function = process.functionName(at: frame.address) ?? ""
            defer { callee = module }
            if SystemLibraries.contain(module) { continue }
            // A program may contain Dispatch and the runtime. The last frame without a name is the code that starts a program.
            let isStartCode = function == "_start" || callee.hasPrefix("libc") && index == frames.count - 1
            if isOfRuntime(function) || isStartCode { continue }
            // The asynchronous main function.
            if callee.contains("swift_Concurrency"), index + 1 < frames.count, isStart(frames[frames.startIndex + index + 1], process) {
                continue
            }
            own = own ?? index
        }
        // A stack that is not known to its end may have such a frame.
        guard own == nil, let last = frames.last else { return own ?? frames.startIndex }
        return isOfMain(last, process) || isStart(last, process) || isThreadStart(frames, process) ? nil : frames.startIndex
    }

    /// Whether a function is one of Dispatch or of the runtime, by its linkage name.
    private static func isOfRuntime(_ function: String) -> Bool {
        let beginnings = ["_dispatch_", "dispatch_", "swift_", "_swift_", "$ss", "$s12_Concurrency"]
        return beginnings.contains { function.hasPrefix($0) }
            || function.hasPrefix("_Z") && ["5swift", "swift_"].contains { function.contains($0) }
    }

    /// Whether a stack ends where the C library starts threads, in two of its functions, which may have no names.
    private static func isThreadStart(_ frames: ArraySlice<remote_frame>, _ process: RemoteProcess) -> Bool {
        let modules = frames.map { frame in process.moduleIndex(at: frame.address).map { process.modules[$0].name } ?? "" }
        let isOfC = modules.map { name in ["libc.", "libc-", "libpthread"].contains { name.hasPrefix($0) } }
        return isOfC.count > 2 && isOfC.suffix(2).allSatisfy(\.self) && !isOfC.dropLast(2).allSatisfy(\.self)
    }

    private static func isStart(_ frame: remote_frame, _ process: RemoteProcess) -> Bool {
        process.functionName(at: frame.address)?.hasPrefix("__libc_start") ?? false
    }

    /// Whether the frame is that of the code which starts a program. Without symbols, it has no name.
    private static func isOfMain(_ frame: remote_frame, _ process: RemoteProcess) -> Bool {
        process.moduleIndex(at: frame.address).map { !SystemLibraries.contain(process.modules[$0].name) } ?? false
    }

    enum Part {
        case live(Thread)
        /// The thread-local variables and the control block.
        case variables(Thread)
        case unused
    }

    /// The part of a stack that contains an address. Nil if no stack does.
    func part(at address: UInt64) -> Part? {
        for thread in threads {
            let isVariable = thread.block != 0 && address < thread.block &+ Self.blockSize && address >= thread.block &- thread.variables
            if isVariable { return .variables(thread) }
            if thread.live.contains(address) { return .live(thread) }
        }
        guard let range = ranges.first(where: { $0.contains(address) }) else { return nil }
        // The control block of a thread is above its stack.
        let blocks = threads.map(\.block) + endedBlocks
        if blocks.contains(where: { range.contains($0) && address < $0 &+ Self.blockSize }) { return .unused }
        return threads.contains { $0.stack.contains(address) && address < $0.live.lowerBound } ? .unused : nil
    }
}

/// The processor time that each thread of a process has used. If it is the same before and after a reading, no thread ran meanwhile.
struct ProcessorTimes: Equatable {
    private let times: [String: String]

    init(ofProcess pid: Int32) {
        var times: [String: String] = [:]
        for id in ProcFile.names(in: "/proc/\(pid)/task") {
            // The time on processors, the time in their queues, and the number of runs.
            times[id] = ProcFile("/proc/\(pid)/task/\(id)/schedstat").text
        }
        self.times = times
    }

    /// Whether the kernel tells them.
    var isKnown: Bool { !times.isEmpty && times.values.allSatisfy { !$0.isEmpty && !$0.hasPrefix("0 0 0") } }
}
