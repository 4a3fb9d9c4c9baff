import CExploreRecord
import Foundation

/// The place where a command and the explored processes meet: a folder with a socket and a file that both map.
final class ExploreMeeting {
    let folder: String
    /// The orders that can run at once: as many as there are processors for. Each has a part of the file of its own.
    let slots: Int
    private let mapped: UnsafeMutableRawPointer
    private let listener: Int32

    /// The part of the file of a slot.
    func file(_ slot: Int = 0) -> UnsafeMutableRawPointer { mapped + slot * explore_file_size() }

    func outputPath(_ slot: Int) -> String { Self.outputPath(folder, slot) }

    private static func outputPath(_ folder: String, _ slot: Int) -> String {
        slot == 0 ? "\(folder)/\(EXPLORE_OUTPUT)" : "\(folder)/\(EXPLORE_OUTPUT)-\(slot)"
    }

    init() throws(UserError) {
        // They may take the room that the choice depends on.
        for folder in ["/dev/shm", NSTemporaryDirectory()] { Self.removeLeftovers(in: folder) }
        let (parent, slots) = Self.place
        let folder = "\(parent)/\(Self.prefix)\(getpid())-\(UUID().uuidString.prefix(8))"
        func problem() -> UserError {
            let reason = String(cString: strerror(errno))
            return UserError("The orders cannot be exchanged in a folder of '\(parent)': \(reason).", .cannotStart)
        }
        guard mkdir(folder, 0o700) == 0 else { throw problem() }
        do throws(UserError) {
            let mapped = try Self.map("\(folder)/\(EXPLORE_RECORD)", slots, orThrow: problem)
            do throws(UserError) {
                listener = try Self.listen("\(folder)/\(EXPLORE_SOCKET)", orThrow: problem)
            } catch {
                munmap(mapped, slots * explore_file_size())
                throw error
            }
            (self.folder, self.slots, self.mapped) = (folder, slots, mapped)
        } catch {
            Self.remove(folder)
            throw error
        }
    }

    /// Memory, if it has room for a record of the longest order; else the folder of temporary files. And the slots that there is room for.
    private static var place: (folder: String, slots: Int) {
        let wanted = min(Int(EXPLORE_SLOTS), Int(explore_processors()))
        var room = statvfs()
        guard statvfs("/dev/shm", &room) == 0, access("/dev/shm", W_OK) == 0 else { return (NSTemporaryDirectory(), wanted) }
        // A recording needs as much as a record.
        let slots = Int(room.f_bavail * room.f_frsize) / explore_file_size() - 1
        return slots > 0 ? ("/dev/shm", min(slots, wanted)) : (NSTemporaryDirectory(), wanted)
    }

    private static func map(_ path: String, _ slots: Int, orThrow problem: () -> UserError) throws(UserError) -> UnsafeMutableRawPointer {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw problem() }
        defer { close(descriptor) }
        let size = slots * explore_file_size()
        guard ftruncate(descriptor, size) == 0,
            let mapped = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), mapped != MAP_FAILED
        else { throw problem() }
        explore_header_of(mapped).pointee.version = UInt32(EXPLORE_VERSION)
        return mapped
    }

    private static func listen(_ path: String, orThrow problem: () -> UserError) throws(UserError) -> Int32 {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard listener >= 0 else { throw problem() }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isBound = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) == 0 }
        }
        guard isBound, Glibc.listen(listener, 64) == 0 else {
            let error = problem()
            close(listener)
            throw error
        }
        return listener
    }

    deinit {
        close(listener)
        munmap(mapped, slots * explore_file_size())
        Self.remove(folder)
    }

    private static let prefix = "hopscope-explore-"

    /// Removes the folders of this user's commands that were killed.
    private static func removeLeftovers(in parent: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? [] where name.hasPrefix(prefix) {
            guard let process = pid_t(name.dropFirst(prefix.count).prefix { $0.isNumber }), kill(process, 0) != 0, errno == ESRCH else {
                continue
            }
            remove("\(parent)/\(name)")
        }
    }

    /// Only a meeting's own files and the traces of its recorded order are removed, so that a folder of another kind stays.
    private static func remove(_ folder: String) {
        let own = [EXPLORE_RECORD, EXPLORE_SOCKET]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where own.contains(name) || name.hasPrefix(EXPLORE_OUTPUT) || name.contains("hoplanes") || name.contains("control") {
            unlink("\(folder)/\(name)")
        }
        rmdir(folder)
    }

    /// The next process that stops in front of its `main`; nil if none has come in that time.
    func next(milliseconds: Int32) -> ExploredProcess? {
        var polled = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        guard poll(&polled, 1, milliseconds) == 1 else { return nil }
        let connection = accept(listener, nil, nil)
        return connection < 0 ? nil : ExploredProcess(connection, self)
    }
}

/// A process that stops in front of its `main`, and runs one child for each order, several at once in slots of their own.
final class ExploredProcess {
    let meeting: ExploreMeeting
    let program: String
    let pid: pid_t
    /// Nil if the process does not tell how it was started.
    let launch: ProcessLaunch?
    private let connection: Int32
    /// The slot of the order that was looked at last.
    private var slot = 0
    /// Slots whose order has ended.
    private var ended: Set<Int> = []

    init(_ connection: Int32, _ meeting: ExploreMeeting) {
        self.connection = connection
        self.meeting = meeting
        pid = explore_header_of(meeting.file()).pointee.process
        launch = ProcessLaunch(of: pid)
        program = withUnsafeBytes(of: explore_header_of(meeting.file()).pointee.program) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// The program's name without its folder.
    var name: String { URL(fileURLWithPath: program).lastPathComponent }

    deinit {
        close(connection)
    }

    /// Runs one order. Throws if the process has gone.
    func run(_ settings: OrderSettings, seed: UInt64 = 0, plan: [OrderDeviation]? = nil) throws(UserError) -> OrderOutcome {
        try start(0, settings, seed: seed, plan: plan)
        return try end(of: 0)
    }

    /// Starts an order in a slot that runs none.
    func start(_ slot: Int, _ settings: OrderSettings, seed: UInt64 = 0, plan: [OrderDeviation]? = nil) throws(UserError) {
        describe(settings, seed: seed, plan: plan, slot)
        guard ask(EXPLORE_RUN, slot) else { throw gone }
    }

    /// Waits for the end of a slot's order, which is then the last one.
    func end(of slot: Int) throws(UserError) -> OrderOutcome {
        while ended.remove(slot) == nil {
            guard let other = nextEnded() else { throw gone }
            ended.insert(other)
        }
        self.slot = slot
        if let refusal { throw refusal }
        return OrderOutcome(header)
    }

    private var gone: UserError { UserError("'\(program)' ended before its orders were run.", .cannotStart) }

    private var file: UnsafeMutableRawPointer { meeting.file(slot) }

    /// The reason why the system did not let the order run; nil if it ran.
    var refusal: UserError? {
        let header = header
        guard header.ending == UInt32(EXPLORE_REFUSED) else { return nil }
        let call = withUnsafeBytes(of: header.refused) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return UserError("An order of '\(program)' could not be run: \(call): \(String(cString: strerror(header.refusal))).", .cannotStart)
    }

    /// Has the process itself run one order, after which it ends.
    func runHere(_ settings: OrderSettings, plan: [OrderDeviation]) {
        describe(settings, seed: 0, plan: plan, 0)
        _ = ask(EXPLORE_RUN_HERE, 0)
    }

    /// Writes the order that is asked for into the file that both map.
    private func describe(_ settings: OrderSettings, seed: UInt64, plan: [OrderDeviation]?, _ slot: Int) {
        let file = meeting.file(slot), header = explore_header_of(file)
        header.pointee.policy = plan == nil ? settings.policy.number : UInt32(EXPLORE_BY_PLAN)
        header.pointee.depth = settings.depth
        header.pointee.length = settings.length
        header.pointee.max_choices = OrderSettings.mostChoices
        header.pointee.limit_ms = OrderSettings.limit
        header.pointee.is_real_time = settings.isRealTime ? 1 : 0
        header.pointee.is_patient = settings.isPatient ? 1 : 0
        header.pointee.is_fine = settings.isFine ? 1 : 0
        header.pointee.seed = seed
        header.pointee.early_limit = settings.earlyLimit
        let deviations = (plan ?? []).prefix(Int(EXPLORE_DEVIATIONS))
        header.pointee.deviations = UInt32(deviations.count)
        for (index, deviation) in deviations.enumerated() {
            explore_plan_of(file)[index] = explore_deviation(
                strand: deviation.strand, point: deviation.point, next: deviation.next)
        }
    }

    /// Ends the process with that status.
    func end(_ status: Int32) {
        explore_header_of(meeting.file()).pointee.exit_status = status
        _ = ask(EXPLORE_END, 0)
    }

    /// The choices of the last order that were not first come, first served.
    func deviations() -> [explore_choice] {
        choices().filter { $0.pick != 0 }
    }

    /// How the last order ended, as far as it told that itself.
    var header: explore_header { explore_header_of(file).pointee }

    /// The strands of the last order. The process writes the file, so its counts are not trusted.
    func strands() -> [explore_strand] {
        let count = min(Int(explore_header_of(file).pointee.strands), Int(EXPLORE_STRANDS))
        return Array(UnsafeBufferPointer(start: explore_strands_of(file), count: count))
    }

    /// The last lines that the last order printed. The calls that Swift prints of a crash say less than the message before them.
    func output() -> String {
        let text = FileManager.default.contents(atPath: meeting.outputPath(slot)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let lines = text.split(separator: "\n")
        let end = lines.firstIndex { $0.contains("Program crashed: ") || $0 == "Current stack trace:" } ?? lines.count
        return lines[..<end].suffix(10).joined(separator: "\n")
    }

    /// Whether the last order was one of XCTest in a package that has no tests of XCTest.
    var hasRunNoTest: Bool { output().contains("Executed 0 tests, with 0 failures") }

    /// The choices of the last order.
    func choices() -> UnsafeBufferPointer<explore_choice> {
        let count = min(Int(explore_header_of(file).pointee.choices), Int(EXPLORE_CHOICES))
        return UnsafeBufferPointer(start: explore_choices_of(file), count: count)
    }

    private func ask(_ request: Int, _ slot: Int) -> Bool {
        var bytes = [UInt8(request), UInt8(slot)]
        return send(connection, &bytes, 2, Int32(MSG_NOSIGNAL)) == 2
    }

    /// The next slot whose order has ended; nil if the process has gone.
    private func nextEnded() -> Int? {
        var byte: UInt8 = 0
        while true {
            let count = recv(connection, &byte, 1, 0)
            if count < 0, errno == EINTR { continue }
            return count == 1 ? Int(byte) : nil
        }
    }
}
