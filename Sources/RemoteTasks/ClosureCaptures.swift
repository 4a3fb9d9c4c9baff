/// The captures of closures in another process, as the compiler describes them beside the closures' code.
struct ClosureCaptures {
    private let types: TypeNames
    private var reader: RemoteReader { types.reader }

    private enum Layout {
        static let description: UInt64 = 16
        /// A description begins with the numbers of captures, of sources of types, and of types that the closure keeps before its captures.
        static let bindings: UInt64 = 8
        static let records: UInt64 = 12
        static let mostCaptures: UInt32 = 64
    }

    init(_ types: TypeNames) {
        self.types = types
    }

    func includeTask(_ metadata: UInt64) -> Bool {
        names(metadata)?.contains { $0.contains("ScT") } ?? false
    }

    /// The bytes that a closure has captured, if they are continuations, objects and functions. Nil if the program does not tell.
    func size(_ metadata: UInt64) -> UInt64? {
        guard let known = known(metadata) else { return nil }
        return known.next == nil ? known.size : nil
    }

    /// The first bytes of a closure's captures that are certainly in use.
    func usedSize(_ metadata: UInt64) -> UInt64 {
        guard let known = known(metadata) else { return 0 }
        // A structure of unknown size has at least a word.
        return known.size + (known.next.map { $0.hasPrefix(TypeNames.structureMark) } ?? false ? 8 : 0)
    }

    /// The size of the captures up to the first one of unknown size, and the type of that one.
    private func known(_ metadata: UInt64) -> (size: UInt64, next: String?)? {
        guard let names = names(metadata), let description = reader.word(metadata &+ Layout.description),
            let bindings = reader.half(description &+ Layout.bindings), bindings <= Layout.mostCaptures
        else { return nil }
        var size = UInt64(bindings) * 8
        for name in names {
            guard let one = Self.size(ofType: name) else { return (size, name) }
            size += one
        }
        return (size, nil)
    }

    private static func size(ofType name: String) -> UInt64? {
        // An optional of an address is no larger.
        let name = name.hasSuffix("Sg") ? String(name.dropLast(2)) : name
        if name.hasSuffix("c") || isFunction(name) { return 16 }
        let isContinuation = (name.hasPrefix("ScC") || name.hasPrefix("Scc")) && name.hasSuffix("G")
        let isObject = name == TypeNames.classMark || name.hasPrefix(TypeNames.classMark + "y") && name.hasSuffix("G")
        return isContinuation || isObject ? 8 : nil
    }

    /// Whether a mangled name ends in how a function with a context passes its values: `Iegn_`.
    private static func isFunction(_ name: String) -> Bool {
        guard name.hasSuffix("_"), let start = name.lastIndex(of: "I") else { return false }
        return name[start...].hasPrefix("Ieg") && name[start...].dropLast().allSatisfy(\.isLetter)
    }

    /// The mangled types of the captures, without what their bytes refer to.
    private func names(_ metadata: UInt64) -> [String]? {
        guard let description = reader.word(metadata &+ Layout.description), reader.process.isInModule(description),
            let count = reader.half(description), count <= Layout.mostCaptures
        else { return nil }
        return (0..<UInt64(count)).map { index in
            types.relative(description &+ Layout.records &+ index * 4).flatMap(types.mangledName) ?? ""
        }
    }
}
