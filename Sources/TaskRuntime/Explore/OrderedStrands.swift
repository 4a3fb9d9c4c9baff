import TaskEvents

/// The strands of one order. A strand is the body, a task's job, a Swift task, a timer, or everything outside of the order.
struct OrderedStrands {
    private struct Strand {
        let number: UInt32
        let name: String
        /// The line of its maker's last call that has one.
        var site: OrderedSite?
        /// How many choices it has come to.
        var points: UInt32 = 0
        /// How many strands and tasks it has made.
        var made: UInt32 = 0
    }

    private struct Created {
        let number: UInt32
        let name: String
    }

    static let outside = 0
    static let body = 1

    private var strands: [Strand]
    private var tasks: [TaskID: Created] = [:]
    /// The strands of tasks that have had a job, and of Swift tasks by their description.
    private var strandsOfTasks: [TaskID: Int] = [:]
    private var strandsOfSwiftTasks: [String: Int] = [:]

    init() {
        strands = [Strand(number: 0, name: "a thread outside of the order"), Strand(number: 2, name: "the body")]
    }

    /// The number that a choice has for the strand, or for the passing of time.
    func number(of strand: Int) -> UInt32 {
        strand == OrderedChooser.Candidates.time ? 1 : strands[strand].number
    }

    func name(of strand: Int) -> String {
        strand == OrderedChooser.Candidates.time ? "time" : strands[strand].name
    }

    func site(of strand: Int) -> OrderedSite? { strands[strand].site }

    mutating func note(_ site: OrderedSite, of strand: Int) { strands[strand].site = site }

    /// Counts a choice that the strand comes to. Returns its number and the count.
    mutating func nextPoint(of strand: Int) -> (strand: UInt32, point: UInt32) {
        strands[strand].points += 1
        return (strands[strand].number, strands[strand].points)
    }

    /// A number that follows from the maker's and from how many it has given before.
    private mutating func childNumber(of maker: Int) -> UInt32 {
        strands[maker].made += 1
        var number: UInt32 = 0x811c_9dc5
        for part in [strands[maker].number, strands[maker].made] {
            for shift in stride(from: UInt32(0), to: 32, by: 8) { number = (number ^ (part >> shift & 0xff)) &* 0x0100_0193 }
        }
        return number
    }

    private mutating func add(_ number: UInt32, _ name: String) -> Int {
        strands.append(Strand(number: number, name: name))
        return strands.count - 1
    }

    mutating func noteCreated(_ task: TaskID, by maker: Int, name: String, _ site: OrderedSite) {
        tasks[task] = Created(number: childNumber(of: maker), name: "`\(name)` (\(site))")
        note(site, of: maker)
    }

    /// The strand of a task's job, or of a closure's.
    mutating func job(of task: TaskID, by maker: Int) -> Int {
        guard task != .none else { return add(childNumber(of: maker), "a closure of \(strands[maker].name)") }
        if let known = strandsOfTasks[task] { return known }
        let created = tasks[task] ?? Created(number: childNumber(of: maker), name: "a task that was made before")
        let strand = add(created.number, created.name)
        strandsOfTasks[task] = strand
        return strand
    }

    /// Whether the body has begun.
    var hasBody: Bool { !strandsOfSwiftTasks.isEmpty }

    mutating func swiftTask(_ description: String, by maker: Int) -> Int {
        if let known = strandsOfSwiftTasks[description] { return known }
        let strand = hasBody ? add(childNumber(of: maker), "a Swift task of \(strands[maker].name)") : Self.body
        strandsOfSwiftTasks[description] = strand
        return strand
    }

    mutating func timer(by maker: Int) -> Int {
        let site = strands[maker].site.map { " (\($0))" } ?? ""
        return add(childNumber(of: maker), "a timer\(site)")
    }
}
