import CodeSymbols
import TaskEvents

/// The functions and lines of a snapshot's code addresses.
package struct SnapshotSymbols: Sendable {
    private let snapshot: Snapshot
    /// The functions at each code address of the snapshot, innermost first. Many tasks have the same addresses.
    private let functions: [UInt64: [CodeSymbol]]

    /// Looks up all addresses of the snapshot.
    package init(of snapshot: Snapshot, by symbolizer: Symbolizer = Symbolizer()) {
        let found = symbolizer.frames(of: Set(snapshot.codeAddresses.values))
        let resumptions = Set(snapshot.tasks.flatMap(\.frames) + snapshot.threads.flatMap { $0.frames + $0.sampled }).compactMap {
            snapshot.codeAddresses[$0]
        }
        self.init(of: snapshot, symbols: found.merging(Self.withLines(resumptions, found, symbolizer)) { _, new in new })
    }

    /// The symbols of places at which a function continues or was sampled. A place without a line gets the line of the next instruction
    /// that has one.
    private static func withLines(
        _ codeAddresses: [CodeAddress], _ found: [CodeAddress: [CodeSymbol]], _ symbolizer: Symbolizer
    ) -> [CodeAddress: [CodeSymbol]] {
        let missing = codeAddresses.filter { address in found[address]?.last.map { $0.site.isEmpty && !$0.isMachinery } ?? false }
        guard !missing.isEmpty else { return [:] }
        let next = symbolizer.frames(of: Set(missing.flatMap(following)))
        return missing.reduce(into: [:]) { symbols, address in
            let function = found[address]?.last?.function
            symbols[address] = following(address).lazy.compactMap { next[$0] }.first { symbols in
                symbols.last?.function == function && symbols.contains { !$0.site.isEmpty && !$0.isMachinery }
            }
        }
    }

    private static func following(_ address: CodeAddress) -> [CodeAddress] {
        stride(from: 4, through: 256, by: 4).map { CodeAddress(module: address.module, offset: address.offset &+ $0) }
    }

    package init(of snapshot: Snapshot, symbols: [CodeAddress: [CodeSymbol]]) {
        self.snapshot = snapshot
        functions = snapshot.codeAddresses.mapValues { Self.functions(at: $0, symbols[$0] ?? []) }
    }

    /// The calls at code addresses, innermost first. An address without a symbol is shown with its module.
    package func calls(at addresses: [UInt64]) -> [CodeSymbol] {
        var calls: [CodeSymbol] = []
        for call in addresses.lazy.flatMap({ functions[$0] ?? [Self.unknown($0)] }) {
            // The compiler splits a function into parts that call each other. The parts after the first may have no line.
            guard let last = calls.last, last.function == call.function, last.site.isEmpty || call.site.isEmpty || last.site == call.site
            else {
                calls.append(call)
                continue
            }
            if last.site.isEmpty { calls[calls.count - 1] = call }
        }
        return calls
    }

    private static func functions(at codeAddress: CodeAddress, _ found: [CodeSymbol]) -> [CodeSymbol] {
        let name = codeAddress.module.split(separator: "/").last ?? ""
        // The probe's functions stand between the program and the functions that block.
        if name.hasPrefix("libhopscope-probe") { return [] }
        let isSystem = SystemLibraries.contain(name)
        guard !found.isEmpty else {
            return [CodeSymbol(function: "\(name)+0x\(String(codeAddress.offset, radix: 16))", isMachinery: isSystem)]
        }
        return found.indices.map { index in
            var call = found[index]
            // The compiler copies library functions into the program. They have no lines, but the function around them has one.
            let isCopied = call.site.isEmpty && found[index...].contains { !$0.isMachinery && !$0.site.isEmpty }
            call.isMachinery = call.isMachinery || isSystem || isCopied
            if isSystem { call.library = "" }
            return call
        }
    }

    private static func unknown(_ address: UInt64) -> CodeSymbol {
        CodeSymbol(function: "0x\(String(address, radix: 16))", isMachinery: true)
    }

    /// The innermost of the program's own calls in a task's stack.
    package func call(of task: RemoteTask) -> CodeSymbol? {
        calls(at: stack(of: task)).first { !$0.isMachinery }
    }

    /// A task's asynchronous stack. For a running task, it is the stack of its thread.
    package func stack(of task: RemoteTask) -> [UInt64] {
        guard task.state == .running, let thread = snapshot.thread(running: task.address) else { return task.frames }
        return thread.code
    }

    /// The function that is the task's body: the outermost of the program's own functions.
    package func body(of task: RemoteTask) -> CodeSymbol? {
        calls(at: stack(of: task)).last { !$0.isMachinery && $0.function != "main" }
    }

    /// Whether a thread of a pool waits for its next job. The task that it ran a moment ago has gone on meanwhile.
    func isBetweenJobs(_ thread: RemoteThread) -> Bool {
        let calls = calls(at: thread.stack)
        let isWhole = calls.last.map { call in Self.threadStarts.contains { call.function.hasPrefix($0) } } ?? false
        return isWhole && calls.allSatisfy { call in call.isMachinery && !Self.jobRunners.contains { call.function.contains($0) } }
    }

    /// The functions in which the stack of a whole thread begins, and those by which the runtime runs a job.
    private static let threadStarts = ["clone", "__clone", "start_thread", "_start", "__libc_start"]
    private static let jobRunners = ["swift_job_run", "runJobInEstablishedExecutorContext"]

    /// The function in which a thread blocks: the one that the program's innermost function has called. Nil for a thread that runs or waits
    /// for work.
    package func blockingCall(of thread: RemoteThread) -> CodeSymbol? {
        guard thread.call != nil || snapshot.isCore && thread.signal == nil else { return nil }
        let calls = calls(at: thread.stack)
        guard let own = calls.firstIndex(where: { !$0.isMachinery && $0.function != "main" }), own > 0 else { return nil }
        guard !calls[..<own].contains(where: { $0.function == Self.crashHandler }) else {
            return CodeSymbol(function: "Swift's backtracer, after a crash")
        }
        return calls[own - 1]
    }

    /// The function by which the runtime of a program that has crashed waits for its backtrace.
    private static let crashHandler = "_swift_spawnBacktracer"
}
