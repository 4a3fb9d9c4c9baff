import CTraceLanes
import Glibc
import TaskEvents

/// A directory that holds regions. Opening it checks that only the user can enter it.
///
/// All access goes through the descriptor, so it always reaches the directory that was checked.
package final class TraceDirectory: Sendable {
    /// The suffix of region files. Files whose names also begin with a dot are not published.
    static let suffix = ".hoplanes"
    static let controlSuffix = ".control"
    /// The prefix of folders in which the processes of one program publish. The process id of their starter follows the prefix.
    package static let runPrefix = "run-"

    package let path: String
    private let file: OpenFile

    var descriptor: Int32 { file.descriptor }

    private init(path: String, descriptor: Int32) {
        self.path = path
        file = OpenFile(descriptor)
    }

    /// Opens a directory. Creates a missing one if `makingIt` is true. Throws if the directory is not safe.
    package convenience init(path: String, makingIt: Bool = false) throws(TraceProblem) {
        var problem = trace_problem()
        let descriptor = trace_directory_open(path, makingIt, &problem)
        guard descriptor >= 0 else { throw TraceProblem(problem) }
        self.init(path: path, descriptor: descriptor)
    }

    /// The directory in which this process publishes: the one that `HOPSCOPE` names, else `hopscope` in `XDG_RUNTIME_DIR`, else
    /// `hopscope-UID` in the temporary directory. Creates it if it is missing.
    package static func own() throws(TraceProblem) -> TraceDirectory {
        var problem = trace_problem()
        var path = [CChar](repeating: 0, count: Int(TRACE_PATH_ROOM))
        let descriptor = trace_directory_open_own(&path, path.count, &problem)
        guard descriptor >= 0 else { throw TraceProblem(problem) }
        return TraceDirectory(path: text(path), descriptor: descriptor)
    }

    /// Why a program that this process starts cannot record into the directory at `path`, or into ``own()`` if that is nil. This process
    /// tries the same, because both have the same limits and the same disk. Nil if it succeeds.
    package static func obstacle(at path: String? = nil) -> TraceProblem? {
        var problem = trace_problem()
        guard trace_environment_has_descriptors(true, &problem) else { return TraceProblem(problem) }
        do throws(TraceProblem) {
            let directory = if let path { try TraceDirectory(path: path) } else { try own() }
            try EventBus(in: directory).publish()
            return nil
        } catch {
            return error
        }
    }

    /// All existing, safe directories in which processes of this user may publish. There are several because a process may have been
    /// started with other environment variables. They include the folders of programs that a command runs.
    package static func all() -> [TraceDirectory] {
        var path = [CChar](repeating: 0, count: Int(TRACE_PATH_ROOM))
        let kinds = [TRACE_DIRECTORY_ASKED, TRACE_DIRECTORY_RUNTIME, TRACE_DIRECTORY_TEMPORARY]
        let paths = kinds.compactMap { trace_directory_path($0, &path, path.count) ? text(path) : nil }
        var seen: Set<String> = []
        let directories = paths.filter { seen.insert($0).inserted }.compactMap { try? TraceDirectory(path: $0) }
        return directories + directories.flatMap { $0.runs.compactMap { try? TraceDirectory(path: $0.path) } }
    }

    /// The folders here in which the processes of one program publish, each with the id of the process that started the program.
    package var runs: [(path: String, pid: Int32)] {
        names().filter { $0.hasPrefix(Self.runPrefix) }
            .compactMap { name in Int32(name.dropFirst(Self.runPrefix.count)).map { ("\(path)/\(name)", $0) } }
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    // MARK: Contents

    /// The names of the directory's files, sorted.
    func names() -> [String] {
        // Opens the directory again, because reading a directory moves the position of its open file description.
        let descriptor = openat(file.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        guard let stream = fdopendir(descriptor) else {
            close(descriptor)
            return []
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
        }
        return names.sorted()
    }

    /// The regions published here. Those of running processes come first; within each group the latest start comes first.
    package func traces() -> [PublishedTrace] {
        names().filter { $0.hasSuffix(Self.suffix) && !$0.hasPrefix(".") }
            .compactMap { name in try? PublishedTrace(RegionFile(named: name, in: self)) }
            .sorted { one, other in
                one.writer == .ended
                    ? other.writer == .ended && one.startRealtime > other.startRealtime
                    : other.writer == .ended || one.startRealtime > other.startRealtime
            }
    }

    /// The region that the running process `pid` publishes here.
    package func trace(ofProcess pid: Int32) -> PublishedTrace? {
        traces().first { $0.pid == pid && $0.writer == .recording }
    }
}

/// The facts that a list shows of a region.
package struct PublishedTrace: Sendable {
    package let path: String
    package let pid: Int32
    package let program: String
    package let writer: WriterState
    /// Nanoseconds since 1970.
    package let startRealtime: UInt64
    /// Whether the process started no earlier than this one.
    package let isYounger: Bool
    /// The number of records ever written, including those that have been overwritten.
    package let recordCount: UInt64
    /// The number of bytes that the file occupies on disk.
    package let bytes: UInt64

    init(_ region: RegionFile) {
        path = region.path
        pid = region.pid
        program = region.program
        writer = region.writer
        startRealtime = region.startRealtime
        isYounger = region.layout.writerIsYounger
        recordCount = region.recordCount
        bytes = region.bytesOnDisk
    }
}

extension RegionFile {
    /// Opens a region by its name in a directory that has been checked.
    package convenience init(named name: String, in directory: TraceDirectory) throws(TraceProblem) {
        let path = "\(directory.path)/\(name)"
        let descriptor = openat(directory.descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.cannotOpen(path, errno) }
        try self.init(OpenFile(descriptor), path: path)
    }
}
