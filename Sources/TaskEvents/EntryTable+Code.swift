import CTraceLanes

/// What a trace that no source was changed for says of places in the program: addresses, for a reader to find the names of.
package enum CodeKind: UInt32, Sendable {
    /// Calls on a thread's stack.
    case calls = 0
    /// Calls that a suspended task awaits.
    case resumes = 1
}

/// A place as an entry has it.
package struct PlaceRecord: Hashable, Sendable {
    /// The file that was loaded, as a text.
    package var module: EntryID
    package var offset: UInt32

    /// The places of an entry as a region or a file has them.
    package static func all(in bytes: UnsafeRawBufferPointer) -> [PlaceRecord] {
        let stride = MemoryLayout<trace_place>.stride
        return (0..<bytes.count / stride).map { index in
            let place = bytes.loadUnaligned(fromByteOffset: index * stride, as: trace_place.self)
            return PlaceRecord(module: EntryID(rawValue: place.module), offset: place.offset)
        }
    }

    package static func bytes(of places: [PlaceRecord]) -> [UInt8] {
        places.flatMap { place in
            withUnsafeBytes(of: trace_place(module: place.module.rawValue, offset: place.offset)) { Array($0) }
        }
    }
}

extension EntryID {
    /// The ids that an entry has for its bytes.
    package static func all(in bytes: UnsafeRawBufferPointer) -> [EntryID] {
        (0..<bytes.count / 4).map { EntryID(rawValue: bytes.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self)) }
    }

    package static func bytes(of ids: [EntryID]) -> [UInt8] {
        ids.flatMap { id in withUnsafeBytes(of: id.rawValue.littleEndian) { Array($0) } }
    }
}

/// A place in a program or a library.
package struct CodePlace: Hashable, Sendable {
    /// The full path of its file.
    package var module: String
    /// The address, as the file itself counts.
    package var offset: UInt32

    package init(module: String, offset: UInt32) {
        self.module = module
        self.offset = offset
    }
}

/// What is known of a place.
package struct CodeSymbol: Hashable, Sendable {
    /// As it is written in Swift, without its module; empty where it is not known.
    package var function: String
    /// The file's name without its folders; empty where it is not known.
    package var file: String
    package var line: UInt32
    /// Whether it is part of Swift's own machinery, between what the program wrote and what it caused.
    package var isMachinery: Bool

    package init(function: String, file: String = "", line: UInt32 = 0, isMachinery: Bool = false) {
        self.function = function
        self.file = file
        self.line = line
        self.isMachinery = isMachinery
    }

    /// `File.swift:12`, or nothing where the place in the source is not known.
    package var site: String { file.isEmpty ? "" : "\(file):\(line)" }
}

extension EntryTable {
    /// The places that entries from number `start` on speak of and that nothing is known of.
    package func unknownPlaces(from start: UInt32 = 0) -> Set<CodePlace> {
        var places: Set<CodePlace> = []
        for entry in entries.dropFirst(Int(start)) {
            guard case .code(_, let records) = entry else { continue }
            for record in records {
                let place = place(of: record)
                if !place.module.isEmpty, symbols[place] == nil { places.insert(place) }
            }
        }
        return places
    }

    package mutating func learn(_ found: [CodePlace: CodeSymbol]) {
        symbols.merge(found) { _, new in new }
    }

    /// The calls of a code entry as far as they are known, without Swift's machinery, the innermost first.
    package func calls(of code: EntryID) -> [CodeSymbol] {
        guard code.rawValue < count, case .code(_, let records) = entries[Int(code.rawValue)] else { return [] }
        return records.compactMap { symbols[place(of: $0)] }.filter { !$0.isMachinery && !$0.function.isEmpty }
    }

    /// Whether the calls are those of a task that sleeps: one of Swift's own functions that wait for a time is among them.
    package func sleeps(in code: EntryID) -> Bool {
        guard code.rawValue < count, case .code(_, let records) = entries[Int(code.rawValue)] else { return false }
        return records.contains { symbols[place(of: $0)]?.function.contains(".sleep(") ?? false }
    }

    /// The innermost call that is the program's.
    func symbol(ofCall code: EntryID) -> CodeSymbol? {
        calls(of: code).first
    }

    /// The code of each throw of an error, the first throw first.
    func throwCodes(of id: EntryID) -> [EntryID] {
        guard id.rawValue < count, case .throwsOfError(let codes) = entries[Int(id.rawValue)] else { return [id] }
        return codes
    }

    func isCode(_ id: EntryID) -> Bool {
        guard id.rawValue < count, case .code = entries[Int(id.rawValue)] else { return false }
        return true
    }

    /// The label of something that code made: by its name, or after the function that made it. Nil while neither is known.
    func label(name: EntryID, code: EntryID) -> Label? {
        let symbol = symbol(ofCall: code)
        let given = isCode(name) ? "" : text(name)
        guard let called = given.isEmpty ? symbol?.function : given else { return nil }
        return Label(name: called, file: symbol?.file ?? "", line: symbol?.line ?? 0)
    }

    private func place(of record: PlaceRecord) -> CodePlace {
        CodePlace(module: text(record.module), offset: record.offset)
    }
}
