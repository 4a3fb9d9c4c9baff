import CTraceLanes

/// The kind of a code entry: addresses in a program that was traced without changes to its source. A reader looks up their names.
package enum CodeKind: UInt32, Sendable {
    /// Calls on a thread's stack.
    case calls = 0
    /// Calls that a suspended task awaits.
    case resumes = 1
}

/// A place in code, as an entry stores it.
package struct AddressRecord: Hashable, Sendable {
    /// The file that the process had loaded there: the id of a text entry.
    package var module: EntryID
    package var offset: UInt32

    package init(module: EntryID, offset: UInt32) {
        self.module = module
        self.offset = offset
    }

    /// Decodes the places of an entry from a region or a file.
    package static func all(in bytes: UnsafeRawBufferPointer) -> [AddressRecord] {
        let stride = MemoryLayout<trace_code_address>.stride
        return (0..<bytes.count / stride).map { index in
            let address = bytes.loadUnaligned(fromByteOffset: index * stride, as: trace_code_address.self)
            return AddressRecord(module: EntryID(rawValue: address.module), offset: address.offset)
        }
    }

    package static func bytes(of addresses: [AddressRecord]) -> [UInt8] {
        addresses.flatMap { address in
            withUnsafeBytes(of: trace_code_address(module: address.module.rawValue, offset: address.offset)) { Array($0) }
        }
    }
}

extension EntryID {
    /// Decodes the ids in an entry's bytes.
    package static func all(in bytes: UnsafeRawBufferPointer) -> [EntryID] {
        (0..<bytes.count / 4).map { EntryID(rawValue: bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self)) }
    }

    package static func bytes(of ids: [EntryID]) -> [UInt8] {
        ids.flatMap { id in withUnsafeBytes(of: id.rawValue.littleEndian) { Array($0) } }
    }
}

/// A place in a program or a library.
package struct CodeAddress: Hashable, Sendable {
    /// The full path of the program or library file.
    package var module: String
    /// The address within that file.
    package var offset: UInt32

    package init(module: String, offset: UInt32) {
        self.module = module
        self.offset = offset
    }
}

/// The function and the source line of a place in code.
package struct CodeSymbol: Hashable, Sendable {
    /// The function's name as Swift source spells it, without the module; empty if unknown.
    package var function: String
    /// The source file's name without its folders; empty if unknown.
    package var file: String
    package var line: UInt32
    /// Whether the function belongs to Swift's runtime rather than to the program.
    package var isMachinery: Bool
    /// Whether the function belongs to a package that the program depends on.
    package var isOfDependency: Bool

    package init(function: String, file: String = "", line: UInt32 = 0, isMachinery: Bool = false, isOfDependency: Bool = false) {
        self.isOfDependency = isOfDependency
        self.function = function
        self.file = file
        self.line = line
        self.isMachinery = isMachinery
    }

    /// `File.swift:12`; empty if the source file is unknown.
    package var site: String { file.isEmpty ? "" : "\(file):\(line)" }
}

extension EntryTable {
    /// The places in entries from number `start` on that have no symbol yet.
    package func unknownAddresses(from start: UInt32 = 0) -> Set<CodeAddress> {
        var addresses: Set<CodeAddress> = []
        for entry in entries.dropFirst(Int(start)) {
            guard case .code(_, let records) = entry else { continue }
            for record in records {
                let address = address(of: record)
                if !address.module.isEmpty, symbols[address] == nil { addresses.insert(address) }
            }
        }
        return addresses
    }

    package mutating func learn(_ found: [CodeAddress: CodeSymbol]) {
        symbols.merge(found) { _, new in new }
        noteNames()
    }

    /// The calls of a code entry, innermost first. Leaves out unknown places and functions of Swift's runtime.
    package func calls(of code: EntryID) -> [CodeSymbol] {
        guard code.rawValue < count, case .code(_, let records) = entries[Int(code.rawValue)] else { return [] }
        return records.compactMap { symbols[address(of: $0)] }.filter { !$0.isMachinery && !$0.function.isEmpty }
    }

    /// Whether the calls are those of a sleeping task: one of them is a Swift function that waits for a time.
    package func sleeps(in code: EntryID) -> Bool {
        guard code.rawValue < count, case .code(_, let records) = entries[Int(code.rawValue)] else { return false }
        return records.contains { symbols[address(of: $0)]?.function.contains(".sleep(") ?? false }
    }

    /// The innermost call of the user's own code. If all calls are a dependency's, the innermost of those.
    package func symbol(ofCall code: EntryID) -> CodeSymbol? {
        let calls = calls(of: code)
        return calls.first { !$0.isOfDependency } ?? calls.first
    }

    /// The code entry of each throw of an error, first throw first.
    func throwCodes(of id: EntryID) -> [EntryID] {
        guard id.rawValue < count, case .throwsOfError(let codes) = entries[Int(id.rawValue)] else { return [id] }
        return codes
    }

    func isCode(_ id: EntryID) -> Bool {
        guard id.rawValue < count, case .code = entries[Int(id.rawValue)] else { return false }
        return true
    }

    /// The label of a task that code created: the given name, or the name of the creating function. Nil while neither is known.
    func label(name: EntryID, code: EntryID) -> Label? {
        let symbol = symbol(ofCall: code)
        let given = isCode(name) ? "" : text(name)
        guard let called = given.isEmpty ? symbol?.function : given else { return nil }
        return Label(name: called, file: symbol?.file ?? "", line: symbol?.line ?? 0)
    }

    private func address(of record: AddressRecord) -> CodeAddress {
        CodeAddress(module: text(record.module), offset: record.offset)
    }
}
