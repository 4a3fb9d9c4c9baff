/// Kinds and names of the classes of objects in another process. The answers are cached, because classes never move.
final class TypeNames {
    enum ActorKind: Sendable {
        /// The actor's queue is in the object.
        case standard
        /// The actor has a custom executor.
        case custom
    }

    let reader: RemoteReader
    private let taskMetadata: UInt64
    private var kinds: [UInt64: ActorKind?] = [:]
    private var names: [UInt64: String?] = [:]

    init(_ reader: RemoteReader, taskMetadata: UInt64) {
        self.reader = reader
        self.taskMetadata = taskMetadata
    }

    /// The kind of an actor class. Nil for any other class, and for an address that is no class.
    func actorKind(_ metadata: UInt64) -> ActorKind? {
        if let known = kinds[metadata] { return known }
        // Only classes are remembered. Memory holds many more addresses of other things than classes exist.
        guard let (_, flags) = descriptor(metadata) else { return nil }
        let kind: ActorKind? = flags & ClassLayout.isDefaultActor != 0 ? .standard : flags & ClassLayout.isActor != 0 ? .custom : nil
        kinds[metadata] = .some(kind)
        return kind
    }

    /// The addresses of classes among these, and of memory that may be a class. Reads those that are not known yet with few system calls.
    func classes(among addresses: some Sequence<UInt64>) -> Set<UInt64> {
        var classes: Set<UInt64> = []
        var unknown: [UInt64] = []
        for address in addresses where address & 7 == 0 {
            if kinds[address] != nil { classes.insert(address) } else { unknown.append(address) }
        }
        unknown.sort()
        var count = 0
        for (index, address) in unknown.enumerated() where index == 0 || address != unknown[index - 1] {
            unknown[count] = address
            count += 1
        }
        unknown.removeSubrange(count...)
        let size = Int(ClassLayout.descriptor) / 8 + 1
        for first in stride(from: 0, to: unknown.count, by: Self.classesAtOnce) {
            let part = Array(unknown[first..<min(unknown.count, first + Self.classesAtOnce)])
            let words = reader.process.readPieces(at: part, words: size)
            for (index, address) in part.enumerated()
            where words[index * size] == ClassLayout.kind && reader.process.isInModule(words[(index + 1) * size - 1]) {
                classes.insert(address)
            }
        }
        return classes
    }

    /// The memory for so many pieces is used again and again, and stays in the processor's cache.
    private static let classesAtOnce = 4096

    /// Whether an object of this class consists of nothing but its own fields or elements: the address is that of a class other than the
    /// class of tasks and the classes of actors.
    func isPlainClass(_ metadata: UInt64) -> Bool {
        metadata != taskMetadata && descriptor(metadata) != nil && actorKind(metadata) == nil
    }

    /// The name of an object's class, with its module. Nil if the class is no Swift class.
    func name(ofObject address: UInt64) -> String? {
        reader.word(address).flatMap { name($0) }
    }

    /// The name of a class, with its module.
    func name(_ metadata: UInt64) -> String? {
        if let known = names[metadata] { return known }
        let name = metadata == taskMetadata ? "Task" : descriptor(metadata).flatMap { fullName($0.address) }
        names[metadata] = .some(name)
        return name
    }

    /// The address of a class's descriptor, and its flags.
    func descriptor(_ metadata: UInt64) -> (address: UInt64, flags: UInt32)? {
        guard metadata & 7 == 0, reader.word(metadata) == ClassLayout.kind, let address = reader.word(metadata &+ ClassLayout.descriptor),
            reader.process.isInModule(address), let flags = reader.half(address), flags & ClassLayout.kindMask == ClassLayout.classKind
        else { return nil }
        return (address, flags)
    }

    private static let mostParents = 8

    func fullName(_ descriptor: UInt64) -> String? {
        var parts: [String] = []
        var descriptor = descriptor
        for _ in 0..<Self.mostParents {
            guard let kind = reader.half(descriptor).map({ $0 & ClassLayout.kindMask }) else { break }
            if kind == ClassLayout.module || kind >= ClassLayout.firstType, let name = relative(descriptor &+ ClassLayout.name) {
                parts.append(reader.text(name) ?? "?")
            }
            guard let parent = reader.half(descriptor &+ ClassLayout.parent), parent != 0 else { break }
            // If the lowest bit is set, the field refers to the parent's address, not to the parent itself.
            let address = descriptor &+ ClassLayout.parent &+ Self.extended(parent & ~1)
            guard let next = parent & 1 == 1 ? reader.word(address) : address else { break }
            descriptor = next
        }
        return parts.isEmpty ? nil : parts.reversed().joined(separator: ".")
    }

    func relative(_ field: UInt64) -> UInt64? {
        reader.half(field).map { field &+ Self.extended($0) }
    }

    static func extended(_ offset: UInt32) -> UInt64 {
        UInt64(bitPattern: Int64(Int32(bitPattern: offset)))
    }
}
