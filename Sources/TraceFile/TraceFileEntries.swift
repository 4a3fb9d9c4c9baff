import TaskEvents

/// The bytes of a block of entries: the id of the first entry, then for each entry its kind, three numbers, the length of its text, and the
/// text.
enum TraceFileEntries {
    /// A writer closes a block at about this size.
    static var blockSize: Int { 256 << 10 }
    /// The largest size of a text. Longer texts are cut off.
    static var textLimit: Int { 64 << 10 }
    static var headSize: Int { 20 }

    private enum Code: UInt32 {
        case none = 0
        case text = 1
        case label = 2
        case error = 3
        case executor = 4
        case code = 5
        case swiftRoutes = 6
        case throwsOfError = 7
    }

    /// Encodes entries from `first` on, as many as fit into one block.
    static func payload(of table: EntryTable, from first: UInt32) -> (bytes: [UInt8], count: Int) {
        var bytes: [UInt8] = []
        bytes.append64(UInt64(first))
        var id = first
        while id < table.count, bytes.count < blockSize {
            append(table[EntryID(rawValue: id)], to: &bytes)
            id += 1
        }
        bytes.pad()
        return (bytes, Int(id - first))
    }

    private static func append(_ entry: Entry, to bytes: inout [UInt8]) {
        func append(_ code: Code, _ a: UInt32 = 0, _ b: UInt32 = 0, _ c: UInt32 = 0, text: [UInt8] = []) {
            for number in [code.rawValue, a, b, c, UInt32(text.count)] { bytes.append32(number) }
            bytes.append(contentsOf: text)
        }
        switch entry {
        case .none: append(.none)
        case .text(let text): append(.text, text: Array(text.utf8.prefix(textLimit)))
        case .label(let name, let file, let line): append(.label, name.rawValue, file.rawValue, line)
        case .error(let type, let message, let code): append(.error, type.rawValue, message.rawValue, code.rawValue)
        case .executor(let id, let name, let kind): append(.executor, UInt32(id.rawValue), name.rawValue, UInt32(kind.rawValue))
        case .code(let kind, let addresses): append(.code, kind.rawValue, text: AddressRecord.bytes(of: addresses))
        case .throwsOfError(let codes): append(.throwsOfError, text: EntryID.bytes(of: codes))
        case .swiftRoutes(let routes): append(.swiftRoutes, routes.rawValue)
        }
    }

    /// Decodes a block: the id of its first entry, and its entries. Nil if the payload contradicts the header. An entry of a kind that a
    /// later version added becomes `.none`.
    static func read(_ payload: UnsafeRawBufferPointer, count: Int) -> (first: UInt32, entries: [Entry])? {
        guard payload.count >= 8, let first = UInt32(exactly: payload.load64(0)) else { return nil }
        var entries: [Entry] = []
        var offset = 8
        for _ in 0..<count {
            guard offset + headSize <= payload.count else { return nil }
            let (kind, length) = (payload.load32(offset), Int(payload.load32(offset + 16)))
            let (a, b, c) = (payload.load32(offset + 4), payload.load32(offset + 8), payload.load32(offset + 12))
            offset += headSize
            guard length <= payload.count - offset else { return nil }
            switch Code(rawValue: kind) {
            case .text: entries.append(.text(String(decoding: payload[offset..<(offset + length)], as: UTF8.self)))
            case .label: entries.append(.label(name: EntryID(rawValue: a), file: EntryID(rawValue: b), line: c))
            case .error: entries.append(.error(type: EntryID(rawValue: a), message: EntryID(rawValue: b), thrownBy: EntryID(rawValue: c)))
            case .executor:
                let kind = ExecutorKind(rawValue: UInt8(truncatingIfNeeded: c)) ?? .custom
                entries.append(.executor(ExecutorID(rawValue: UInt16(truncatingIfNeeded: a)), name: EntryID(rawValue: b), kind: kind))
            case .code:
                let addresses = AddressRecord.all(in: UnsafeRawBufferPointer(rebasing: payload[offset..<(offset + length)]))
                entries.append(.code(CodeKind(rawValue: a) ?? .calls, addresses))
            case .throwsOfError:
                entries.append(.throwsOfError(EntryID.all(in: UnsafeRawBufferPointer(rebasing: payload[offset..<(offset + length)]))))
            case .swiftRoutes: entries.append(.swiftRoutes(TraceRoutes(rawValue: a)))
            case .some(.none), nil: entries.append(.none)
            }
            offset += length
        }
        return (first, entries)
    }
}
