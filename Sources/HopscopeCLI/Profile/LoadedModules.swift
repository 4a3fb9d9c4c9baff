import RemoteTasks
import TaskEvents

/// The program and the libraries that a process has loaded, by their addresses.
struct LoadedModules {
    private struct Module {
        var range: Range<UInt64>
        /// The address at which the file's first byte is loaded.
        var base: UInt64
        var path: String
    }

    private let process: Int32
    private var modules: [Module] = []
    /// The addresses that are in no module, so that the list is not read again for each of them.
    private var unknown: Set<UInt64> = []

    init(of process: Int32) {
        self.process = process
        read()
    }

    /// For tests: the modules of a text like that of `/proc/PID/maps`.
    init(maps text: String) {
        process = 0
        read(text)
    }

    /// The place of an address; an empty module if it is in none.
    mutating func place(of address: UInt64) -> CodeAddress {
        if let place = find(address) { return place }
        if unknown.count < 4096, unknown.insert(address).inserted {
            // The library may have been loaded since.
            read()
            if let place = find(address) { return place }
        }
        return CodeAddress(module: "", offset: 0)
    }

    private func find(_ address: UInt64) -> CodeAddress? {
        let index = modules.partitioningIndex { $0.range.lowerBound > address }
        guard index > 0, modules[index - 1].range.contains(address), let offset = UInt32(exactly: address - modules[index - 1].base) else {
            return nil
        }
        return CodeAddress(module: modules[index - 1].path, offset: offset)
    }

    /// Reads the list of mapped files. Keeps the known list if the process has ended.
    private mutating func read() {
        read(ProcFile("/proc/\(process)/maps").text)
    }

    private mutating func read(_ text: String) {
        var found: [Module] = []
        var bases: [String: UInt64] = [:]
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ", maxSplits: 5)
            guard fields.count == 6, let bounds = Self.bounds(fields[0]), let offset = UInt64(fields[2], radix: 16) else { continue }
            let path = String(fields[5].drop { $0 == " " })
            guard path.hasPrefix("/") || path == "[vdso]" else { continue }
            // A file can be mapped more than once, for instance by a program that reads its own libraries. The code belongs to the mapping
            // that begins last before it.
            if offset == 0 { bases[path] = bounds.lowerBound }
            if fields[1].contains("x"), let base = bases[path] { found.append(Module(range: bounds, base: base, path: path)) }
        }
        if !found.isEmpty { modules = found.sorted { $0.range.lowerBound < $1.range.lowerBound } }
    }

    private static func bounds(_ text: Substring) -> Range<UInt64>? {
        let ends = text.split(separator: "-")
        guard ends.count == 2, let low = UInt64(ends[0], radix: 16), let high = UInt64(ends[1], radix: 16), low < high else { return nil }
        return low..<high
    }
}
