/// The stored properties of classes in another process, from the reflection metadata that Swift's compiler writes by default.
extension TypeNames {
    /// A stored property.
    struct Field {
        let name: String
        /// Whether the property is a `Task`, which is a reference to a task and no continuation.
        let isTask: Bool
        /// Its distance from the object's beginning.
        var offset: UInt64 = 0
        /// Whether it is an `Int32` or an `Int`, as a file descriptor is.
        var isInteger = false
        /// Whether it is a truth value, a fraction, a duration or an enumeration without values, or an optional of it: nothing that could be
        /// an address.
        var isPlain = false
        /// Whether it is an optional of a structure with several properties. If it is nil, most of its words keep what was in the memory before.
        var isOptionalStructure = false
        /// Whether it is a structure with an enumeration or an optional in it of which some words may be old ones, or a value of which only the
        /// class's arguments tell the type.
        var hasOldParts = false
        /// Whether it is an enumeration of which not every case has the same value.
        var isEnumeration = false
    }

    /// The offsets in a class's metadata and in its descriptor, in bytes.
    private enum Layout {
        static let superclass: UInt64 = 8
        static let instanceSize: UInt64 = 24
        static let fields: UInt64 = 16
        static let bounds: UInt64 = 24
        static let positiveWords: UInt64 = 28
        static let immediateMembers: UInt64 = 32
        static let fieldCount: UInt64 = 36
        static let offsets: UInt64 = 40
        /// The flag of a descriptor whose superclass may change its size.
        static let hasResilientSuperclass: UInt32 = 0x2000_0000
        static let recordSize: UInt64 = 12
        static let recordCount: UInt64 = 12
        static let records: UInt64 = 16
        static let mostFields: UInt64 = 1024
        static let valueDescriptor: UInt64 = 8
        /// The kinds of an enumeration's metadata and of its descriptor, and where the latter counts the cases with and without a value.
        static let enumerationKind: UInt64 = 0x201
        static let optionalKind: UInt64 = 0x202
        static let optionalValue: UInt64 = 16
        static let enumeration: UInt32 = 18
        static let cases: UInt64 = 20
        static let emptyCases: UInt64 = 24
    }

    /// The size of an object without what follows its stored properties.
    func instanceSize(_ metadata: UInt64) -> UInt64? {
        reader.half(metadata &+ Layout.instanceSize).map(UInt64.init)
    }

    func instanceSize(ofClass metadata: UInt64) -> UInt64? {
        metadata & 7 == 0 && metadata != 0 && name(metadata) != nil ? instanceSize(metadata) : nil
    }

    /// The stored property of an object that contains an offset. Nil if the program tells no names.
    func field(of metadata: UInt64, at offset: UInt64) -> Field? {
        var metadata = metadata
        // A superclass's properties come first.
        for _ in 0..<16 {
            guard let superclass = reader.word(metadata &+ Layout.superclass), descriptor(superclass) != nil,
                let size = instanceSize(superclass), offset < size
            else { break }
            metadata = superclass
        }
        guard let (descriptor, flags) = descriptor(metadata), let fields = relative(descriptor &+ Layout.fields),
            let count = reader.half(descriptor &+ Layout.fieldCount), count > 0, UInt64(count) <= Layout.mostFields,
            let start = reader.half(descriptor &+ Layout.offsets)
        else { return nil }
        var vector = metadata &+ UInt64(start) * 8
        if flags & Layout.hasResilientSuperclass != 0 {
            guard let bounds = relative(descriptor &+ Layout.bounds), let members = reader.word(bounds) else { return nil }
            vector = metadata &+ members &+ UInt64(start) * 8
        }
        var best: (index: UInt64, offset: UInt64)?
        for index in 0..<UInt64(count) {
            guard let place = reader.word(vector &+ index * 8), place <= offset, place >= best?.offset ?? 0 else { continue }
            best = (index, place)
        }
        guard let best else { return nil }
        let record = fields &+ Layout.records &+ best.index * Layout.recordSize
        guard let name = relative(record &+ 8).flatMap({ reader.text($0) }), !name.isEmpty else { return nil }
        let reference = relative(record &+ 4) ?? 0
        let type = reader.text(reference, limit: 64) ?? ""
        let declaration = self.descriptor(symbol: reference)
        let declared = declaration.flatMap(fullName)
        let mangled = mangledName(reference) ?? ""
        return Field(
            name: name.hasPrefix("$__lazy_storage_$_") ? String(name.dropFirst(18)) : name, isTask: type.contains("ScT"),
            offset: best.offset, isInteger: type == "Si" || declared == "Swift.Int32",
            isPlain: isPlain(mangled, declared, declaration),
            isOptionalStructure: isOptionalStructure(mangled, declaration),
            hasOldParts: Self.isParameter(mangled)
                || mangled.hasPrefix(Self.structureMark) && declaration.map { mayKeepOldWords($0) } ?? false,
            isEnumeration: declaration.map(isEnumeration(descriptor:)) ?? false)
    }

    /// Whether a mangled name is that of a generic parameter: the value may be of any type.
    private static func isParameter(_ name: String) -> Bool {
        name == "x" || name.hasPrefix("q") && name.dropFirst().allSatisfy { $0 == "_" || $0 == "d" || $0.isNumber }
    }

    private static let plainTypes: Set<String> = ["Swift.Bool", "Swift.Double", "Swift.Duration", "Swift.Float"]
    /// The same types by their short mangled names.
    private static let plainSymbols: Set<String> = ["Sb", "Sd", "Sf"]

    /// - Parameter declared: The name of the type to which the first byte of a mangled name refers.
    private func isPlain(_ name: String, _ declared: String?, _ descriptor: UInt64?) -> Bool {
        let name = name.hasSuffix("Sg") ? String(name.dropLast(2)) : name
        if Self.plainSymbols.contains(name) || isTupleOfNumbers(name, declared) { return true }
        // An enumeration within a generic type has arguments.
        let isEmptyEnumeration = descriptor.flatMap(cases(ofEnumeration:))?.withValue == 0
        if isEmptyEnumeration, name.dropFirst().hasPrefix("y"), name.hasSuffix("G") { return true }
        guard name.utf8.count == 1 else { return false }
        return declared.map(Self.plainTypes.contains) ?? false || isEmptyEnumeration
    }

    private func isOptionalStructure(_ mangled: String, _ declaration: UInt64?) -> Bool {
        mangled.hasPrefix(Self.structureMark) && mangled.hasSuffix("Sg") && declaration.map { !isWrapper($0) } ?? true
    }

    private static let mostNested = 4

    /// The references to the types of a structure's stored properties.
    private func types(ofStructure descriptor: UInt64) -> [UInt64] {
        guard let fields = relative(descriptor &+ Layout.fields), let count = reader.half(fields &+ Layout.recordCount), count <= 64
        else { return [] }
        return (0..<UInt64(count)).compactMap { relative(fields &+ Layout.records &+ $0 * Layout.recordSize &+ 4) }
    }

    /// Whether a structure has a single stored property, and so has that one if it is a structure: nil is then a single word.
    private func isWrapper(_ descriptor: UInt64, _ depth: Int = 0) -> Bool {
        let types = types(ofStructure: descriptor)
        guard types.count == 1, depth < Self.mostNested, let mangled = mangledName(types[0]) else { return false }
        guard mangled.hasPrefix(Self.structureMark), let inner = self.descriptor(symbol: types[0]) else { return true }
        return isWrapper(inner, depth + 1)
    }

    /// Whether a structure has an enumeration with values, or an optional structure, somewhere in it.
    private func mayKeepOldWords(_ descriptor: UInt64, _ depth: Int = 0) -> Bool {
        guard depth < Self.mostNested else { return true }
        return types(ofStructure: descriptor).contains { type in
            guard let inner = self.descriptor(symbol: type), let mangled = mangledName(type) else { return false }
            if isEnumeration(descriptor: inner) || isOptionalStructure(mangled, inner) { return true }
            return mangled.hasPrefix(Self.structureMark) && mayKeepOldWords(inner, depth + 1)
        }
    }

    /// The numbers of an enumeration's cases with and without a value. Nil if a descriptor is that of something else.
    private func cases(ofEnumeration descriptor: UInt64) -> (withValue: UInt32, empty: UInt32)? {
        guard let flags = reader.half(descriptor), flags & ClassLayout.kindMask == Layout.enumeration,
            let cases = reader.half(descriptor &+ Layout.cases), let empty = reader.half(descriptor &+ Layout.emptyCases)
        else { return nil }
        return (cases & 0xff_ffff, empty)
    }

    /// Whether a descriptor is that of an enumeration of which not every case has the same value.
    private func isEnumeration(descriptor: UInt64) -> Bool {
        guard let (withValue, empty) = cases(ofEnumeration: descriptor) else { return false }
        return withValue > 1 || withValue == 1 && empty > 0
    }

    /// Whether a type is an enumeration of which not every case has the same value. An `Optional` is told as none.
    func isEnumeration(_ type: UInt64?) -> Bool {
        guard let type, reader.word(type) == Layout.enumerationKind, let descriptor = reader.word(type &+ Layout.valueDescriptor)
        else { return false }
        return isEnumeration(descriptor: descriptor)
    }

    /// Whether a type is an enumeration or an optional, of which a case without a value leaves old words. An optional of a class leaves none.
    func mayLackValue(_ type: UInt64?) -> Bool {
        guard let type, let kind = reader.word(type) else { return true }
        guard kind == Layout.optionalKind else { return isEnumeration(type) }
        return reader.word(type &+ Layout.optionalValue).flatMap { reader.word($0) } != ClassLayout.kind
    }

    /// Whether a class is one of `ManagedBuffer`: an object with a value and elements, as locks and collections have it.
    func isManagedBuffer(_ metadata: UInt64) -> Bool {
        var metadata = metadata
        for _ in 0..<16 {
            guard let superclass = reader.word(metadata &+ Layout.superclass), let name = name(superclass) else { return false }
            if name == "Swift.ManagedBuffer" { return true }
            metadata = superclass
        }
        return false
    }

    /// The last generic argument of a class that has no generic superclass with arguments of its own: the type of an array's elements, of
    /// a dictionary's values.
    func lastArgument(of metadata: UInt64, count: UInt64) -> UInt64? {
        guard let (descriptor, flags) = descriptor(metadata), flags & Layout.hasResilientSuperclass == 0,
            let words = reader.half(descriptor &+ Layout.positiveWords), let members = reader.half(descriptor &+ Layout.immediateMembers),
            members <= words, count > 0
        else { return nil }
        return reader.word(metadata &+ (UInt64(words - members) + count - 1) * 8)
    }

    /// The name of a class, a structure or an enumeration, with its module.
    func name(ofType argument: UInt64) -> String? {
        guard let kind = reader.word(argument) else { return nil }
        // A class's metadata begins with another word than a structure's, 0x200, or an enumeration's, 0x201 and 0x202.
        if kind == ClassLayout.kind { return name(argument) }
        guard kind >> 4 == 0x20, let descriptor = reader.word(argument &+ Layout.valueDescriptor) else { return nil }
        return fullName(descriptor)
    }
}
