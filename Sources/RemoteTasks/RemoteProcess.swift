import CRemoteProcess
import TaskEvents

/// Another process, or a core file, open for reading. Not thread-safe: one thread uses it.
package final class RemoteProcess {
    /// The program, or a library that the process has loaded.
    package struct Module: Hashable, Sendable {
        package let low: UInt64
        package let high: UInt64
        /// The difference between an address in memory and the same address in the module's file.
        package let bias: UInt64
        /// Empty if the file cannot be opened.
        package let path: String
        package let name: String
    }

    let raw: OpaquePointer
    package let isCore: Bool
    /// In the order of their addresses.
    package let modules: [Module]
    /// The index of each module of `modules` in the list of the C functions.
    private let numbers: [Int]
    private var lastModule = 0

    /// Opens a running process. Throws a sentence that names a way out.
    ///
    /// - Parameter listsPages: Whether to ask the kernel for a list of the pages that exist, as Linux 6.7 and later have it.
    package convenience init(pid: Int32, listsPages: Bool = true) throws(SnapshotProblem) {
        var problem = remote_fine
        guard let raw = remote_open_process(pid, &problem) else { throw SnapshotProblem(problem, ofProcess: pid) }
        if !listsPages { remote_forgo_page_scan(raw) }
        self.init(raw, isCore: false)
    }

    /// Reads nothing more when that many nanoseconds have passed.
    func setLimit(nanoseconds: UInt64) {
        remote_set_limit(raw, nanoseconds)
    }

    /// Whether the limit has passed.
    var isLate: Bool { remote_is_late(raw) }

    /// The system calls that have read memory so far, and those that have asked which pages exist.
    var calls: (reads: Int, lookups: Int) { (Int(clamping: remote_read_count(raw)), Int(clamping: remote_lookup_count(raw))) }

    /// The address of the first page of a range that exists; the range's end if none does.
    func nextPage(in range: Range<UInt64>) -> UInt64 {
        remote_next_present(raw, range.lowerBound, range.upperBound)
    }

    /// Opens a core file of the executable `program`.
    package convenience init(core: String, program: String) throws(SnapshotProblem) {
        var problem = remote_fine
        guard let raw = remote_open_core(core, program, &problem) else { throw SnapshotProblem(problem, ofCore: core) }
        self.init(raw, isCore: true)
    }

    private init(_ raw: OpaquePointer, isCore: Bool) {
        self.raw = raw
        self.isCore = isCore
        let all = (0..<remote_module_count(raw)).map { index in
            let module = remote_module_at(raw, index)
            return Module(
                low: module.low, high: module.high, bias: module.bias, path: String(cString: module.path),
                name: String(cString: module.name))
        }
        numbers = all.indices.sorted { all[$0].low < all[$1].low }
        modules = numbers.map { all[$0] }
    }

    deinit {
        remote_close(raw)
    }

    package var pid: Int32 { remote_pid(raw) }

    /// The index of the module that contains an address.
    func moduleIndex(at address: UInt64) -> Int? {
        if lastModule < modules.count, modules[lastModule].low <= address, address < modules[lastModule].high { return lastModule }
        var (low, high) = (0, modules.count)
        while low < high {
            let middle = (low + high) / 2
            if modules[middle].high <= address { low = middle + 1 } else { high = middle }
        }
        guard low < modules.count, modules[low].low <= address else { return nil }
        lastModule = low
        return low
    }

    func isInModule(_ address: UInt64) -> Bool { moduleIndex(at: address) != nil }

    /// The place in its file of a code address. Nil if no module contains the address, or if the module is too large for a trace.
    package func codeAddress(of address: UInt64) -> CodeAddress? {
        guard let index = moduleIndex(at: address), !modules[index].path.isEmpty else { return nil }
        return UInt32(exactly: address &- modules[index].bias).map { CodeAddress(module: modules[index].path, offset: $0) }
    }

    /// The addresses of symbols in a module. The address of a symbol that the module lacks is 0.
    func symbols(_ names: [String], inModule index: Int) -> [UInt64] {
        var addresses = [UInt64](repeating: 0, count: names.count)
        withCStrings(names[...], []) { pointers in
            remote_symbols(raw, numbers[index], pointers, pointers.count, &addresses)
        }
        return addresses
    }

    private func withCStrings(_ names: ArraySlice<String>, _ pointers: [UnsafePointer<CChar>?], _ body: ([UnsafePointer<CChar>?]) -> Void) {
        guard let name = names.first else { return body(pointers) }
        name.withCString { withCStrings(names.dropFirst(), pointers + [$0], body) }
    }

    /// The linkage name of the function at an address, from the module's loaded symbol tables.
    func functionName(at address: UInt64) -> String? {
        guard let index = moduleIndex(at: address), let name = remote_function(raw, numbers[index], address) else { return nil }
        return String(cString: name)
    }

    /// The linkage name of the global variable that contains an address.
    func variableName(at address: UInt64) -> String? {
        guard let index = moduleIndex(at: address), let name = remote_variable(raw, numbers[index], address) else { return nil }
        return String(cString: name)
    }

    /// Whether a module calls another module's function of this name.
    func imports(_ function: String, into module: Module) -> Bool {
        modules.firstIndex(of: module).map { remote_imports(raw, numbers[$0], function) } ?? false
    }

    /// Reads the list of `ranges` again. They change while the process runs.
    func renewRanges() { remote_renew_ranges(raw) }

    /// Whether the process has writable memory that is not in `ranges`.
    var hasHiddenMemory: Bool { remote_has_hidden_memory(raw) }

    /// The writable segments of a module.
    func dataSegments(ofModule index: Int) -> [Range<UInt64>] {
        var segments = [remote_range](repeating: remote_range(), count: 16)
        let count = remote_data_segments(raw, numbers[index], &segments, segments.count)
        return segments.prefix(count).compactMap { $0.low < $0.high && $0.high < 1 << 62 ? $0.low..<$0.high : nil }
    }

    /// The most bytes that the thread-local variables of all modules take in each thread. 0 if they are not known.
    var threadVariables: Int { remote_thread_variables(raw) }

    /// The stretches of writable memory.
    var ranges: [Range<UInt64>] {
        (0..<remote_range_count(raw)).map { index in
            let range = remote_range_at(raw, index)
            return range.low..<max(range.low, range.high)
        }
    }

    /// Reads many pieces of one size at once. A piece that cannot be read is all zero.
    func readPieces(at addresses: [UInt64], words: Int) -> [UInt64] {
        [UInt64](unsafeUninitializedCapacity: addresses.count * words) { buffer, count in
            guard let base = buffer.baseAddress else { return }
            remote_read_pieces(raw, addresses, addresses.count, words * 8, base)
            count = addresses.count * words
        }
    }
}
