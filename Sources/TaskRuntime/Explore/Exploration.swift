import Synchronization
import TaskEvents

/// Connects the runtime to the order that the calling code is run in. While no order is explored, it costs a relaxed load.
enum Exploration {
    /// The order that this Swift task or this executor's job belongs to.
    @TaskLocal static var order: (any ExploredOrder)?

    /// The number of orders that run now.
    static let active = Atomic<Int>(0)

    /// The order that the calling code belongs to.
    @inline(__always)
    static var current: (any ExploredOrder)? {
        guard active.load(ordering: .relaxed) != 0 else { return nil }
        return order
    }

    /// A place at which another thread may overtake the calling code.
    @inline(__always)
    static func point() {
        if let current { current.point(at: nil) }
    }

    /// Likewise, at a line of the program.
    @inline(__always)
    static func point(_ fileID: StaticString, _ line: UInt) {
        if let current { current.point(at: OrderedSite(fileID, line)) }
    }
}

/// What an order that is explored learns from the runtime. Any thread may call it; threads outside of the order never wait in it.
protocol ExploredOrder: TaskExecutor {
    typealias Job = @Sendable () -> Void
    typealias Schedule = @Sendable (@escaping Job) -> Void

    /// A place at which another thread may overtake the calling one.
    func point(at site: OrderedSite?)

    /// Notes the name and the line of a task that the calling thread has made.
    func noteCreated(_ task: TaskID, name: String, _ site: OrderedSite)

    /// Takes a job that an executor would schedule. Returns false if the order is over.
    func take(_ job: @escaping Job, of task: TaskID, on lane: OrderedLane, _ schedule: @escaping Schedule) -> Bool

    /// Notes that a source was set a second time.
    func noteSetTwice(_ text: String)

    /// The calling thread as one that waits for a task's end; nil if it is outside of the order.
    ///
    /// - Parameter release: ends the task, if the thread is main and nothing else ever will.
    func waiter(releasing release: @escaping Job) -> (any OrderedWaiting)?
}

/// A thread that waits for a task's end, and meanwhile leaves the turn to others.
protocol OrderedWaiting: Sendable {
    func wait()

    /// Returns false if the timeout has passed first.
    func wait(timeout: Duration) -> Bool

    func wake()
}

/// An executor that runs up to `width` jobs at a time. They begin in the order of their arrival.
struct OrderedLane: Sendable {
    let id: ObjectIdentifier
    let name: String
    let width: Int
    let isMain: Bool
    /// Whether the program itself calls the jobs, so that the search does not know when they begin.
    let isCustom: Bool
}

/// A line of the program.
struct OrderedSite: CustomStringConvertible {
    private let fileID: StaticString
    private let line: UInt

    init(_ fileID: StaticString, _ line: UInt) {
        self.fileID = fileID
        self.line = line
    }

    /// The file's name without its module, and the line.
    var description: String {
        "\(fileID.description.split(separator: "/").last ?? "?"):\(line)"
    }
}
