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
    /// The line at which the function begins; 0 if unknown.
    package var begin: UInt32
    /// The source file's path, as the debug information has it; empty if unknown.
    package var path: String
    /// Whether the function belongs to Swift's runtime rather than to the program.
    package var isMachinery: Bool
    /// The package or library that the function belongs to; empty for the program's own code.
    package var library: String

    package init(
        function: String, file: String = "", line: UInt32 = 0, begin: UInt32 = 0, path: String = "", isMachinery: Bool = false,
        library: String = ""
    ) {
        self.path = path
        self.library = library
        self.function = function
        self.file = file
        self.line = line
        self.begin = begin
        self.isMachinery = isMachinery
    }

    /// Whether the function belongs to a package that the program depends on.
    package var isOfDependency: Bool { !library.isEmpty }

    /// `File.swift:12`; empty if the source file is unknown.
    package var site: String { file.isEmpty ? "" : "\(file):\(line)" }

    /// Whether the function is a closure.
    package var isClosure: Bool { function.replacing("@Sendable ", with: "")[...].isOfClosure }

    /// The function that a reader knows: `handle(_:)` for `closure #1 in closure #2 in handle(_:)`, and for the local function
    /// `handle #1 (_:) in start()`.
    package var name: String {
        var rest = function.replacing("@Sendable ", with: "")[...]
        while rest.isOfClosure, let end = rest.firstRange(of: " in ")?.upperBound { rest = rest[end...] }
        if rest.hasPrefix("static ") { rest = rest.dropFirst("static ".count) }
        guard let mark = rest.firstRange(of: " #"), let end = rest[mark.upperBound...].firstIndex(where: { !$0.isNumber }) else {
            return String(rest)
        }
        let parameters = rest[end...].drop { $0 == " " }
        let outer = parameters.firstRange(of: " in ")?.lowerBound ?? parameters.endIndex
        return String(rest[..<mark.lowerBound] + parameters[..<outer])
    }
}

extension Substring {
    /// Whether a readable name is that of a closure, or of another piece of a function that has no name of its own.
    fileprivate var isOfClosure: Bool {
        ["closure #", "implicit closure #", "$defer #", "autoclosure #"].contains(where: hasPrefix)
    }
}

extension [CodeSymbol] {
    /// The calls whose source is known, or all if it is known of none. The owner of code that the compiler made, such as a library's
    /// generic function in the program, is unknown.
    fileprivate var placed: [CodeSymbol] {
        let placed = filter { !$0.file.isEmpty }
        return placed.isEmpty ? self : placed
    }
}

/// The owner of the code that an entry stands for.
package enum CodeOwner: UInt8, Sendable {
    /// The entry stands for no code, or the code's names are not known yet.
    case unknown
    /// The program, or a name that the program gave.
    case program
    /// Packages that the program depends on.
    case library
}

/// A source file of a program.
package struct SourceFile: Hashable, Sendable {
    package var path: String
    /// The program or library that was made of it.
    package var module: String

    package init(path: String, module: String) {
        self.path = path
        self.module = module
    }
}

extension EntryTable {
    /// The source file with this name. Nil if it is unknown, or if several files have the name.
    package func sourceFile(named name: String) -> SourceFile? { sourceFiles[name] ?? nil }

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
        for (address, symbol) in found where !symbol.path.isEmpty {
            let file = SourceFile(path: symbol.path, module: address.module)
            sourceFiles[symbol.file] = sourceFiles[symbol.file, default: file]?.path == file.path ? file : .some(nil)
        }
        noteNames()
        noteOwners()
        noteBodies()
    }

    /// The calls of a code entry, innermost first. Leaves out unknown places and functions of Swift's runtime.
    package func calls(of code: EntryID) -> [CodeSymbol] {
        calls(of: self[code])
    }

    private func calls(of entry: Entry) -> [CodeSymbol] {
        guard case .code(_, let records) = entry else { return [] }
        return records.compactMap { symbols[address(of: $0)] }.filter { !$0.isMachinery && !$0.function.isEmpty }
    }

    /// Whether the calls are those of a sleeping task: one of them is a Swift function that waits for a time.
    package func sleeps(in code: EntryID) -> Bool { hasFunction(in: code) { $0.contains(".sleep(") } }

    /// Whether the calls are those of a task that reads the next value of a stream.
    package func readsStream(in code: EntryID) -> Bool {
        hasFunction(in: code) { $0.contains("AsyncStream") || $0.contains("AsyncThrowingStream") }
    }

    /// The functions that wait in the scope of a cancellation handler of theirs, innermost first. Such a function may be the library's own,
    /// as that of a sleep.
    package func cancellationHandlers(in code: EntryID) -> [CodeSymbol] {
        guard case .code(_, let records) = self[code] else { return [] }
        let calls = records.map { symbols[address(of: $0)] }
        return zip(calls, calls.dropFirst()).compactMap { call, outer in
            call?.function.hasPrefix("withTaskCancellationHandler") == true ? outer : nil
        }
    }

    /// The function that waits in a cancellation shield of its own, the outermost one. Inside it, further shields do nothing.
    package func shield(in code: EntryID) -> CodeSymbol? {
        guard case .code(_, let records) = self[code] else { return nil }
        let calls = records.map { symbols[address(of: $0)] }
        return zip(calls, calls.dropFirst()).reversed().compactMap { call, outer in
            call?.function.hasPrefix("withTaskCancellationShield") == true ? outer : nil
        }.first
    }

    private func hasFunction(in code: EntryID, where matches: (String) -> Bool) -> Bool {
        guard case .code(_, let records) = self[code] else { return false }
        return records.contains { symbols[address(of: $0)].map { matches($0.function) } ?? false }
    }

    /// The innermost call of the user's own code. If all calls are a dependency's, the innermost of those.
    package func symbol(ofCall code: EntryID) -> CodeSymbol? {
        let calls = calls(of: code).placed
        return calls.first { !$0.isOfDependency } ?? calls.first
    }

    /// The user's own function that a library called, with the line where it waits: the outermost one of the innermost own calls. Nil if
    /// no call is the user's own.
    func handler(in code: EntryID) -> CodeSymbol? {
        calls(of: code).placed.drop(while: \.isOfDependency).prefix { !$0.isOfDependency }.last
    }

    /// Whether two code entries have the same handler.
    package func haveSameHandler(_ one: EntryID, _ other: EntryID) -> Bool {
        one == other || handler(in: one)?.function == handler(in: other)?.function
    }

    func owner(of entry: Entry) -> CodeOwner {
        switch entry {
        case .label(let name, let file, _):
            if !isCode(file) || !isCode(name) && !text(name).isEmpty { return .program }
            return owner(ofCode: self[file])
        case .code: return owner(ofCode: entry)
        case .none, .text, .error, .executor, .throwsOfError, .swiftRoutes: return .unknown
        }
    }

    private func owner(ofCode entry: Entry) -> CodeOwner {
        let calls = calls(of: entry).placed
        return calls.isEmpty ? .unknown : calls.allSatisfy(\.isOfDependency) ? .library : .program
    }

    /// The code entry of each throw of an error, first throw first.
    func throwCodes(of id: EntryID) -> [EntryID] {
        guard case .throwsOfError(let codes) = self[id] else { return [id] }
        return codes
    }

    package func isCode(_ id: EntryID) -> Bool {
        guard id.rawValue < count, case .code = entries[Int(id.rawValue)] else { return false }
        return true
    }

    /// The label of a task that code created: the given name, or the name of the creating function, after its library's name if it is not
    /// the program's own. Nil while neither is known.
    func label(name: EntryID, code: EntryID) -> Label? {
        let symbol = symbol(ofCall: code)
        let given = isCode(name) ? "" : text(name)
        guard given.isEmpty else { return Label(name: given, file: symbol?.file ?? "", line: symbol?.line ?? 0) }
        return symbol.map(label)
    }

    /// The label of a task that is called after the handler that it runs: `handle(_:)`, or `closure in main()`.
    func label(ofHandler code: EntryID) -> Label? {
        guard let handler = handler(in: code) else { return symbol(ofCall: code).map(label) }
        var label = label(handler)
        if handler.isClosure { label.name = "closure in \(label.name)" }
        return label
    }

    private func label(_ symbol: CodeSymbol) -> Label {
        let name = symbol.isOfDependency ? "\(symbol.library): \(symbol.name)" : symbol.name
        return Label(name: name, file: symbol.file, line: symbol.line, isOfCode: true)
    }

    /// The code that made the tasks of a label. Nil for a label with a place in source.
    package func code(ofLabel id: EntryID) -> EntryID? {
        guard case .label(_, let file, _) = self[id], isCode(file) else { return nil }
        return file
    }

    /// Whether all places of a code entry have been looked up.
    package func areNamed(in code: EntryID) -> Bool {
        guard case .code(_, let records) = self[code] else { return false }
        return records.allSatisfy { symbols[address(of: $0)] != nil }
    }

    private func address(of record: AddressRecord) -> CodeAddress {
        CodeAddress(module: text(record.module), offset: record.offset)
    }
}
