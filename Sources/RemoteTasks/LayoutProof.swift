/// The facts of a runtime's layout that differ between versions, as the tasks of a snapshot prove them.
///
/// The runtime's layout version rises rarely and its size can stay the same while fields move, so both only give the first guess. A task's
/// parent has a record that lists the task among its children. So the right place of the parent's address is the place at which this holds
/// for the tasks of the snapshot. The same record belongs to the group, which proves the place of the group's address.
struct LayoutProof {
    /// The places of the words that follow a task, in bytes from its beginning. The fragment of a child follows the task, or its name's
    /// fragment.
    struct Fragments: Hashable {
        /// The size of a task.
        var size: UInt64
        /// The size of the fragment of a task's name. 0 if the name is a record.
        var nameSize: UInt64

        func parent(isNamed: Bool) -> UInt64 { size + (isNamed ? nameSize : 0) }
    }

    /// Nil if nothing shows where a child's parent is.
    private(set) var fragments: Fragments?
    /// The place of the group's address after the parent's. Nil if no task of a group proves it.
    private(set) var group: UInt64?

    private let reading: TaskReading
    private var parents: [UInt64: Parent?] = [:]
    private var lists: [ListKey: Set<UInt64>] = [:]
    private var stepsLeft = 1 << 16

    /// A task that has children, as it is now.
    private struct Parent {
        /// The records of its children and groups.
        var records: [(address: UInt64, isGroup: Bool, first: UInt64)] = []
    }

    private struct ListKey: Hashable {
        let record: UInt64
        let fragments: Fragments
    }

    /// The votes of the children for one guess.
    private struct Votes {
        var (agreeing, contradicting) = (0, 0)
    }

    /// At most this many children vote.
    private static let mostVoters = 512
    private static let sizes = stride(from: TaskReading.tailStart, through: 272, by: 8)
    private static let nameSizes: [UInt64] = [0, 16]
    private static let groups: [UInt64] = [16, 24, 32]

    init(_ tasks: [RemoteTask], _ reading: TaskReading) {
        self.reading = reading
        let children = tasks.filter { $0.isChild && $0.tail != nil }
        let step = max(children.count / Self.mostVoters, 1)
        reading.reader.forget()
        let voters = stride(from: 0, to: children.count, by: step).map { children[$0] }.filter { isStillThere($0) }
        fragments = provenFragments(voters)
        if let fragments { group = provenGroup(voters.filter { $0.kind == .groupChild }, fragments) }
    }

    /// The size of a task, for its memory.
    var size: UInt64? { fragments?.size }

    /// Adds the parent and the group to a task that was read.
    func complete(_ task: inout RemoteTask) {
        if task.isNamed, task.name.isEmpty { task.name = name(of: task) ?? "" }
        guard task.isChild, let fragments else { return }
        let place = fragments.parent(isNamed: task.isNamed)
        task.parent = reading.tailWord(task, place)
        if let group, task.kind == .groupChild { task.group = reading.tailWord(task, place + group) }
    }

    // MARK: Votes

    private mutating func provenFragments(_ voters: [RemoteTask]) -> Fragments? {
        let stated = Fragments(size: reading.runtime.taskSize, nameSize: 0)
        var best: (guess: Fragments, votes: Votes)?
        for nameSize in Self.nameSizes where nameSize == 0 || voters.contains(where: \.isNamed) {
            for size in Self.sizes {
                let guess = Fragments(size: size, nameSize: nameSize)
                let votes = votes(voters, for: guess)
                guard votes.agreeing > votes.contradicting, votes.agreeing > best?.votes.agreeing ?? 0 else { continue }
                best = (guess, votes)
            }
        }
        if let best { return best.guess }
        // The children of running parents come and go too fast to be found in a list. The listed layout then stays the guess, if nothing
        // contradicts it.
        let isListed = reading.runtime.isListed && votes(voters, for: stated).contradicting == 0
        return isListed ? stated : nil
    }

    private mutating func votes(_ voters: [RemoteTask], for guess: Fragments) -> Votes {
        var votes = Votes()
        for child in voters {
            let address = reading.tailWord(child, guess.parent(isNamed: child.isNamed))
            guard let parent = parent(at: address) else {
                votes.contradicting += 1
                continue
            }
            if parent.records.contains(where: { list($0.address, $0.first, guess).contains(child.address) }) { votes.agreeing += 1 }
        }
        return votes
    }

    private mutating func provenGroup(_ voters: [RemoteTask], _ fragments: Fragments) -> UInt64? {
        var best: (place: UInt64, agreeing: Int)?
        for place in Self.groups {
            var votes = Votes()
            for child in voters {
                let first = fragments.parent(isNamed: child.isNamed)
                let group = reading.tailWord(child, first + place)
                guard let parent = parent(at: reading.tailWord(child, first)) else { continue }
                let isOfGroup = parent.records.contains { record in
                    record.isGroup && record.address >= group && record.address - group <= TaskLayout.mostToGroupRecord
                }
                if isOfGroup { votes.agreeing += 1 } else { votes.contradicting += 1 }
            }
            guard votes.agreeing > votes.contradicting, votes.agreeing > best?.agreeing ?? 0 else { continue }
            best = (place, votes.agreeing)
        }
        return best?.place
    }

    // MARK: Memory as it is now

    private func isStillThere(_ task: RemoteTask) -> Bool {
        reading.reader.withWords(task.address, count: reading.headerWords) { words in
            words.baseAddress.map { reading.id($0) == task.id && reading.verdict($0) == .live }
        } ?? false
    }

    private mutating func parent(at address: UInt64) -> Parent? {
        if let known = parents[address] { return known }
        let parent = readParent(address)
        parents[address] = .some(parent)
        return parent
    }

    private func readParent(_ address: UInt64) -> Parent? {
        guard address != 0, address & 15 == 0 else { return nil }
        let layout = reading.runtime.layout
        return reading.reader.withWords(address, count: reading.headerWords) { header -> Parent? in
            guard let base = header.baseAddress, reading.verdict(base) == .live else { return nil }
            var parent = Parent()
            reading.forEachRecord(from: header[layout.records / 8]) { record, kind in
                guard kind == layout.childKind || kind == layout.groupKind else { return true }
                let first = reading.reader.word(record &+ UInt64(layout.recordFirstChild)) ?? 0
                parent.records.append((record, kind == layout.groupKind, first))
                return true
            }
            return parent
        }
    }

    /// The children that a record lists.
    private mutating func list(_ record: UInt64, _ first: UInt64, _ guess: Fragments) -> Set<UInt64> {
        let key = ListKey(record: record, fragments: guess)
        if let known = lists[key] { return known }
        var found: Set<UInt64> = []
        var child = first
        while child != 0, child & 15 == 0, stepsLeft > 0, found.insert(child).inserted {
            stepsLeft -= 1
            let flags = reading.reader.half(child &+ UInt64(reading.runtime.layout.jobFlags)) ?? 0
            let place = guess.parent(isNamed: flags & reading.runtime.layout.isNamed != 0)
            child = reading.reader.word(child &+ place &+ 8) ?? 0
        }
        lists[key] = found
        return found
    }

    /// The name in a fragment that follows the task: its address and its length. The text itself proves that the words are a name.
    private func name(of task: RemoteTask) -> String? {
        let place = fragments?.size ?? reading.runtime.taskSize
        guard task.tail != nil, isStillThere(task) else { return nil }
        let (address, length) = (reading.tailWord(task, place), reading.tailWord(task, place + 8))
        guard length > 0, length < 4096, let text = reading.reader.text(address, limit: Int(length) + 1) else { return nil }
        return text.utf8.count == Int(length) && !text.unicodeScalars.contains("\u{FFFD}") ? text : nil
    }
}
