/// The values of protocol types, `any P`: three words for the value, its type, and how the type conforms to the protocol.
struct Existentials {
    let types: TypeNames
    let image: MemoryImage

    private var reader: RemoteReader { types.reader }

    private enum Layout {
        static let type: UInt64 = 24
        static let conformance: UInt64 = 32
        /// The distance from a type to its table of functions that copy and destroy values, and offsets in that table.
        static let valueTable: UInt64 = 8
        static let size: UInt64 = 64
        static let flags: UInt64 = 80
        static let isElsewhere: UInt32 = 1 << 17
        /// The kinds of types without a class, and the word in which these name their declaration.
        static let valueKinds: ClosedRange<UInt64> = 0x200...0x202
        static let valueDescriptor: UInt64 = 8
        /// A conformance names its type at this offset, and says at another one how.
        static let conformingType: UInt64 = 4
        static let conformanceFlags: UInt64 = 12
    }

    /// Whether a word is one of the three of a value of a protocol type, and the value does not reach as far. Such a word keeps what was in
    /// the memory before. It may also stand before an `any P.Type`, which looks alike, so this proves nothing.
    func leavesUnused(_ address: UInt64, in block: MemoryImage.Block) -> Bool {
        for index in (0 as UInt64)..<3 where address - block.address >= 16 + index * 8 {
            guard let size = inlineSize(at: address - index * 8) else { continue }
            return index * 8 >= size
        }
        return false
    }

    /// The bytes that the value of a protocol type has in its three words. Nil if there is no such value.
    private func inlineSize(at start: UInt64) -> UInt64? {
        guard let type = image.word(start + Layout.type), type & 7 == 0, let kind = reader.word(type),
            let conformance = image.word(start + Layout.conformance).flatMap({ reader.word($0) }), reader.process.isInModule(conformance),
            let descriptor = kind == ClassLayout.kind
                ? types.descriptor(type)?.address : Layout.valueKinds ~= kind ? reader.word(type + Layout.valueDescriptor) : nil,
            conforms(descriptor, conformance)
        else { return nil }
        if kind == ClassLayout.kind { return 8 }
        guard let table = reader.word(type - Layout.valueTable), let size = reader.word(table + Layout.size),
            let flags = reader.half(table + Layout.flags)
        else { return nil }
        return flags & Layout.isElsewhere != 0 ? 8 : size
    }

    /// Whether a conformance is that of a declared type.
    private func conforms(_ descriptor: UInt64, _ conformance: UInt64) -> Bool {
        guard let named = types.relative(conformance + Layout.conformingType),
            let flags = reader.half(conformance + Layout.conformanceFlags)
        else { return false }
        // The type is named by its descriptor, or by the address of a pointer to that.
        return flags >> 3 & 7 == 0 ? named == descriptor : flags >> 3 & 7 == 1 && reader.word(named) == descriptor
    }
}
