import CRemoteProcess
import CodeSymbols

/// What the words of a process's memory that refer to something are: fields, elements, captures, global variables, stacks, or words that
/// are out of use.
struct HolderPlaces {
    typealias Step = ContinuationHolder.Step

    enum Place {
        /// A word out of use, or one that is no reference of this kind.
        case stale
        /// A property of an object of one of the program's classes.
        case owner(Step)
        case global(Step, isSystem: Bool)
        case stack(Step)
        /// The frames of a task.
        case frames(of: UInt64)
        /// A part of a block without a name of its own. Something else refers to the block.
        case link(Step?, block: UInt64)
        /// Memory of which it is not known whether it is in use.
        case unknown(Step)
    }

    let process: RemoteProcess
    let reader: RemoteReader
    let runtime: ConcurrencyRuntime
    let types: TypeNames
    let image: MemoryImage
    let threads: HolderThreads
    let regions: TaskRegions

    private enum Layout {
        static let objectHeader: UInt64 = 16
        /// The end of the words that an actor with a queue of its own has for it.
        static let actorHeader: UInt64 = 112
        static let closureKind: UInt64 = 0x400
        static let boxKind: UInt64 = 0x500
        /// The bit in the second word of an object that is set when the last reference to it is released.
        static let isEnding: UInt64 = 1 << 32
        static let arrayElements: UInt64 = 32
        static let dictionaryBits: UInt64 = 64
        static let setBits: UInt64 = 56
        static let dequeElements: UInt64 = 40
        /// A block is at most this much larger than the object in it.
        static let rounding: UInt64 = 24
        /// A static object is looked for this many words before a place.
        static let mostStaticWords = 64
    }

    /// The C library's blocks are less than this much larger than what was asked for.
    static let slack: UInt64 = 32

    /// The modules of the toolchain. Their classes are containers that something else names.
    private static let toolchain: Set<Substring> = [
        "Swift", "_Concurrency", "Foundation", "FoundationEssentials", "FoundationNetworking", "Dispatch", "Synchronization", "__C",
    ]

    /// Whether a class is none of the toolchain's. The name begins with the module's.
    static func isOfProgram(_ name: String) -> Bool {
        !toolchain.contains(name.prefix { $0 != "." })
    }

    /// - Parameter isTask: Whether the word refers to a task, as an unsafe continuation and a `Task` do.
    func place(_ address: UInt64, toTask isTask: Bool) -> Place {
        if let region = regions.region(at: address) {
            switch region.part {
            case .header: return isTask || address - region.task < Layout.objectHeader ? .stale : .frames(of: region.task)
            case .frames: return .frames(of: region.task)
            case .unused: return .stale
            }
        }
        if let block = image.block(at: address) { return block.isFree ? .stale : place(address, in: block, toTask: isTask) }
        switch threads.part(at: address) {
        case .live(let thread):
            // Without the runtime's symbols, a thread that waits for work cannot be told from one that uses its stack.
            return runtime.hasSymbols ? .stack(thread.step) : .unknown(thread.step)
        // The variables of the runtime, of Dispatch and of the C library keep old words.
        case .variables(let thread): return .unknown(thread.step)
        case .unused: return .stale
        case nil: break
        }
        guard let index = process.moduleIndex(at: address) else {
            return .unknown(Step(type: "memory", field: "0x" + String(address, radix: 16)))
        }
        if isTask, isJobRecord(address) { return .stale }
        if let object = staticObject(around: address) { return place(address, in: object, toTask: isTask) }
        let module = process.modules[index].name
        let unnamed = "\(module)+0x\(String(address - process.modules[index].low, radix: 16))"
        let symbol = process.variableName(at: address)
        let name = symbol.map(SwiftNames.readable)
        // A stripped program with a runtime of its own: the word may be the runtime's or Dispatch's, which keep old ones.
        if name == nil, index == runtime.module { return .unknown(Step(type: "memory", field: unnamed)) }
        let isSystem = SystemLibraries.contain(module) || !(symbol.map { isProgramVariable($0, in: index) } ?? true)
        return .global(Step(type: "global", field: name ?? unnamed), isSystem: isSystem)
    }

    /// Whether a symbol may be that of a variable in the program's code. The other ones of Swift are the compiler's, and those of C may be the
    /// runtime's or Dispatch's if the module contains them.
    private func isProgramVariable(_ symbol: String, in module: Int) -> Bool {
        let isSwift = symbol.hasPrefix("$s") || symbol.hasPrefix("$S")
        return isSwift ? symbol.hasSuffix("vp") || symbol.hasSuffix("vpZ") : module != runtime.module
    }

    /// The storage of a stream, to which both ends of the stream refer, if a word in it refers to the continuations of tasks that read the
    /// stream, or is one.
    func stream(with word: UInt64) -> UInt64? {
        guard let block = image.block(at: word), word - block.address == Layout.objectHeader,
            let name = image.word(block.address).flatMap({ types.name($0) }),
            name == "Swift.AsyncStream._Storage" || name == "Swift.AsyncThrowingStream._Storage"
        else { return nil }
        return block.address
    }

    /// Whether a block is the reading end of a stream, which neither sends nor finishes.
    func isReadingEnd(_ block: UInt64, of stream: UInt64) -> Bool {
        guard image.word(block + Layout.objectHeader) == stream, let name = image.word(block).flatMap({ types.name($0) }) else {
            return false
        }
        return name == "Swift.AsyncStream._Context" || name == "Swift.AsyncThrowingStream._Context"
    }

    /// Whether a block is the checked continuation of a task.
    func isCheckedContinuation(_ block: UInt64) -> Bool {
        image.word(block).flatMap { types.name($0) }?.hasSuffix("CheckedContinuationCanary") ?? false
    }

    private func place(_ address: UInt64, in block: MemoryImage.Block, toTask isTask: Bool) -> Place {
        let first = image.word(block.address) ?? 0
        let offset = address - block.address
        guard let name = types.name(first) else { return untyped(address, first, block, isTask) }
        if isDead(block.address) { return .unknown(Step(type: "memory", field: "")) }
        // A task that has ended, or that has begun since the snapshot. Whether the word is in use is not known.
        if first == runtime.taskMetadata { return .unknown(Step(type: "task", field: "that is not in the snapshot")) }
        guard offset >= Layout.objectHeader else { return .stale }
        // An actor's own words have its queue. A task that waits is in none.
        if types.actorKind(first) == .standard, offset < Layout.actorHeader { return .stale }
        if Existentials(types: types, image: image).leavesUnused(address, in: block) { return .unknown(Step(type: name, field: "")) }
        // The continuation of a checked one is its first word. Its function's name follows.
        if name.hasSuffix("CheckedContinuationCanary") {
            return offset == Layout.objectHeader ? .link(nil, block: block.address) : .stale
        }
        // A `Task` is a reference to a task that resumes nothing.
        func element(_ type: String, arguments: UInt64, _ isUsed: Bool) -> Place {
            let argument = isTask ? types.lastArgument(of: first, count: arguments) : nil
            let isHandle = argument.flatMap(types.name(ofType:))?.hasSuffix(".Task") ?? false
            return isUsed && !isHandle ? .link(Step(type: type, field: ""), block: block.address) : .stale
        }
        switch name {
        case "Swift.__StringStorage": return .stale
        case "Swift._ContiguousArrayStorage": return element("Array", arguments: 1, isArrayElement(offset, block))
        case "Swift._DictionaryStorage": return element("Dictionary", arguments: 2, isEntry(offset, block, bits: Layout.dictionaryBits))
        case "Swift._SetStorage": return element("Set", arguments: 1, isEntry(offset, block, bits: Layout.setBits))
        case _ where name.hasSuffix("._DequeBuffer"): return element("Deque", arguments: 1, isDequeElement(offset, block))
        case _: break
        }
        let size = types.instanceSize(first) ?? 0
        let isTail = offset >= size
        if isTail, block.size - min(size, block.size) < Layout.rounding { return .stale }
        let field = isTail ? nil : types.field(of: first, at: offset)
        if field?.isPlain ?? false || isTask && field?.isTask ?? false { return .stale }
        // The object that refers to such a buffer is the owner: the buffer holds elements, or a value with a lock.
        let isProgram = Self.isOfProgram(name) && !types.isManagedBuffer(first)
        let step = Step(type: name, field: field?.name ?? "")
        return isProgram && !isTail ? .owner(step) : .link(step, block: block.address)
    }

    /// The doubt whether a word in use is an old one: 0, or 1 in a buffer whose values are not known by their types, or 2 in a structure of
    /// which some parts may be old.
    func doubt(_ address: UInt64) -> Int {
        guard let block = image.block(at: address), let first = image.word(block.address), types.name(first) != nil else { return 0 }
        if types.isManagedBuffer(first) { return 1 }
        return types.field(of: first, at: address - block.address)?.hasOldParts ?? false ? 2 : 0
    }

    /// Whether a word in use may keep what was in the memory before: it is in an enumeration or an optional, of which another case may be the
    /// one in use, or at the end of a block of which it is not known how much of it was asked for.
    func mayBeOld(_ address: UInt64) -> Bool {
        guard regions.region(at: address) == nil, let block = image.block(at: address), let first = image.word(block.address),
            first != runtime.taskMetadata
        else { return false }
        guard let name = types.name(first) else {
            let isSlack = address > block.address && address + 8 + Self.slack > block.address + block.size
            return isSlack && !isClosure(first)
        }
        switch name {
        case "Swift._ContiguousArrayStorage": return types.mayLackValue(types.lastArgument(of: first, count: 1))
        case "Swift._DictionaryStorage": return types.mayLackValue(types.lastArgument(of: first, count: 2))
        case _ where name.hasSuffix("CheckedContinuationCanary"): return false
        // Behind the properties are elements, of which it is not known how many there are.
        case _ where address - block.address >= types.instanceSize(first) ?? 0: return address + 8 + Self.slack > block.address + block.size
        case _: return types.field(of: first, at: address - block.address).map { $0.isEnumeration || $0.isOptionalStructure } ?? false
        }
    }

    /// Whether a word of an object is certainly out of use: a removed element, the rest of a small value of a protocol type, or a property
    /// without addresses.
    func isUnused(_ offset: UInt64, in block: MemoryImage.Block) -> Bool {
        guard let first = image.word(block.address), let name = types.name(first) else { return false }
        if name == "Swift._DictionaryStorage" { return !isEntry(offset, block, bits: Layout.dictionaryBits) }
        if name == "Swift._SetStorage" { return !isEntry(offset, block, bits: Layout.setBits) }
        if name.hasSuffix("._DequeBuffer") { return !isDequeElement(offset, block) }
        if Existentials(types: types, image: image).leavesUnused(block.address + offset, in: block) { return true }
        guard let size = types.instanceSize(ofClass: first), offset < size else { return false }
        return types.field(of: first, at: offset)?.isPlain ?? false
    }

    /// An object that the compiler has put among the global variables, as a block of its own.
    private func staticObject(around address: UInt64) -> MemoryImage.Block? {
        var start = address & ~7
        for _ in 0..<Layout.mostStaticWords where process.isInModule(start) {
            if let first = image.word(start), let size = types.instanceSize(ofClass: first) {
                return address - start < size ? .init(address: start, size: size, isFree: false) : nil
            }
            start &-= 8
        }
        return nil
    }

    private func untyped(_ address: UInt64, _ first: UInt64, _ block: MemoryImage.Block, _ isTask: Bool) -> Place {
        let kind = first & 7 == 0 && process.isInModule(first) ? reader.word(first) : nil
        if kind == Layout.closureKind {
            let offset = address - block.address
            guard offset >= Layout.objectHeader else { return .stale }
            let (step, captures) = (Step(type: "closure", field: ""), ClosureCaptures(types))
            if let size = captures.size(first) {
                if offset - Layout.objectHeader >= size { return .stale }
            } else if isTask, offset > Layout.objectHeader {
                // The block may be larger than the closure needs, and have old words behind it.
                return .unknown(step)
            }
            return isTask && captures.includeTask(first) ? .unknown(step) : .link(step, block: block.address)
        }
        if kind == Layout.boxKind { return .link(Step(type: "box", field: ""), block: block.address) }
        if isTask, isJobRecord(address) { return .stale }
        return .link(Step(type: "memory", field: ""), block: block.address)
    }

    /// Whether a word is the last one of a record by which Dispatch ran a job: the function that runs jobs, then the task. A suspended task
    /// is in no queue, so the record is an old one.
    private func isJobRecord(_ address: UInt64) -> Bool {
        guard let function = image.word(address &- 8), let index = process.moduleIndex(at: function) else { return false }
        let name = process.functionName(at: function) ?? ""
        return process.modules[index].name.contains("swift_Concurrency") ? !name.contains("continuation") : name.contains("swift_run_job")
    }

    // MARK: Containers

    private func isArrayElement(_ offset: UInt64, _ block: MemoryImage.Block) -> Bool {
        offset < Layout.arrayElements || offset < usedSize(ofArray: block)
    }

    /// The size of an array's storage up to its last element.
    func usedSize(ofArray block: MemoryImage.Block) -> UInt64 {
        guard let count = image.word(block.address + 16), let capacity = image.word(block.address + 24).map({ $0 >> 1 }),
            capacity > 0, count <= capacity, block.size > Layout.arrayElements
        else { return block.size }
        let stride = (block.size - Layout.arrayElements) / capacity / 8 * 8
        return Layout.arrayElements + stride * count
    }

    /// Whether the object at the beginning of a block has ended. Its first words may still be there after the block got another use.
    func isDead(_ object: UInt64) -> Bool {
        // The counts of an object are elsewhere, or do not exist, if the highest bit is set.
        image.word(object + 8).map { $0 >> 63 == 0 && $0 & Layout.isEnding != 0 } ?? true
    }

    /// Whether a block is an array, a dictionary, a set or a deque.
    func isCollection(_ block: UInt64) -> Bool {
        let name = image.word(block).flatMap { types.name($0) } ?? ""
        return name.hasPrefix("Swift._") || name.hasSuffix("._DequeBuffer")
    }

    /// The objects and collections to which the words of a block refer, up to a size, but for words that are certainly out of use.
    func objects(in block: MemoryImage.Block, to end: UInt64) -> [UInt64] {
        let isArray = image.word(block.address).flatMap { types.name($0) } == "Swift._ContiguousArrayStorage"
        let end = isArray ? min(end, usedSize(ofArray: block)) : min(end, block.size)
        return stride(from: Layout.objectHeader, to: max(end, Layout.objectHeader), by: 8).compactMap { offset in
            guard let word = image.word(block.address + offset).map({ $0 & 0x00ff_ffff_ffff_fff8 }), word != 0,
                let other = image.block(at: word), other.address == word, !other.isFree, !isUnused(offset, in: block)
            else { return nil }
            return word
        }
    }

    /// Whether a word is the metadata of closures' captures or of captured variables.
    func isClosure(_ metadata: UInt64) -> Bool {
        let kind = metadata & 7 == 0 && process.isInModule(metadata) ? reader.word(metadata) : nil
        return kind == Layout.closureKind || kind == Layout.boxKind
    }

    private func isDequeElement(_ offset: UInt64, _ block: MemoryImage.Block) -> Bool {
        guard let capacity = image.word(block.address + 16), let count = image.word(block.address + 24),
            let start = image.word(block.address + 32), capacity > 0, count <= capacity, start < capacity, offset >= Layout.dequeElements
        else { return true }
        let stride = (block.size - Layout.dequeElements) / capacity / 8 * 8
        guard stride > 0 else { return true }
        let slot = (offset - Layout.dequeElements) / stride
        return slot < capacity && (slot + capacity - start) % capacity < count
    }

    /// Whether a bucket of a dictionary or a set is in use. `bits` is the offset of the bits that say so.
    private func isEntry(_ offset: UInt64, _ block: MemoryImage.Block, bits: UInt64) -> Bool {
        let base = block.address
        guard let scale = image.word(base + 32).map({ $0 & 63 }), let keys = image.word(base + 48) else { return true }
        let values = bits == Layout.dictionaryBits ? image.word(base + 56) ?? 0 : 0
        let buckets: UInt64 = 1 << scale
        let start = values != 0 && base + offset >= values ? values : keys
        let end = start == keys && values > keys ? values : base + block.size
        guard start > base, end > start, base + offset >= start else { return true }
        let stride = (end - start) / buckets / 8 * 8
        guard stride > 0 else { return true }
        let bucket = (base + offset - start) / stride
        guard bucket < buckets, let word = image.word(base + bits + bucket / 64 * 8) else { return false }
        return word >> (bucket & 63) & 1 == 1
    }
}
