import Foundation

/// The destination of a command's result: standard output or a file.
///
/// A file is written without a name and gets its name once it is complete, so that an interrupted command leaves no partial file. Where the
/// file system has no unnamed files, a killed command leaves a hidden one, which a later command removes.
final class ResultOutput: TextOutputStream {
    /// The output's name in messages.
    private let name: String
    private let target: String?
    private let descriptor: Int32
    /// The name of the incomplete file, on file systems that have no unnamed files.
    private var temporary: String?
    private var buffer: [UInt8] = []
    private var failure: Int32?

    /// `path` is the file's path; nil or `-` means standard output. A pipe or a device at that path is written to directly. An existing
    /// trace is replaced only if `mayReplaceTrace` is true, so reports and exports never replace one.
    init(_ path: String?, mayReplaceTrace: Bool = false) throws(UserError) {
        guard let path, path != "-" else {
            name = "standard output"
            target = nil
            descriptor = STDOUT_FILENO
            return
        }
        name = path
        try OutputPath.check(path)
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            guard status.st_mode & S_IFMT != S_IFDIR else { throw OutputPath.cannotWrite(path, EISDIR) }
            target = nil
            descriptor = open(path, O_WRONLY | O_CLOEXEC)
        } else {
            let target = Self.resolved(path)
            guard mayReplaceTrace || !TraceMagic.isTrace(target) else {
                throw UserError("'\(path)' is a trace, so it is not overwritten; name another file.", .wrongUsage)
            }
            self.target = target
            let folder = OutputPath.folder(of: target)
            let nameless = open(folder, O_WRONLY | Self.withoutName | O_CLOEXEC, 0o666)
            if nameless < 0, errno == EOPNOTSUPP || errno == EISDIR {
                let name = Self.passingName(beside: target)
                temporary = name
                descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
                if descriptor >= 0, fstat(descriptor, &status) == 0 {
                    // By the file system's own clock, which can differ from the machine's.
                    Self.removeLeftovers(in: folder, before: status.st_mtim.tv_sec - Self.day)
                }
            } else {
                descriptor = nameless
            }
        }
        guard descriptor >= 0 else { throw OutputPath.cannotWrite(path, errno) }
    }

    deinit {
        if let temporary { unlink(temporary) }
        if descriptor != STDOUT_FILENO { close(descriptor) }
    }

    /// Whether the output goes directly to a terminal.
    var isTerminal: Bool { target == nil && isatty(descriptor) == 1 }

    func write(_ text: String) {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= 1 << 16 { flush() }
    }

    func write(_ bytes: [UInt8]) {
        buffer.append(contentsOf: bytes)
        flush()
    }

    /// Appends the contents of the file at `path`.
    func copy(_ path: String) throws(UserError) {
        guard let bytes = FileManager.default.contents(atPath: path) else { throw UserError("'\(path)' could not be read.", .ownFault) }
        for start in stride(from: 0, to: bytes.count, by: 1 << 16) {
            buffer.append(contentsOf: bytes[start..<min(start + (1 << 16), bytes.count)])
            flush()
        }
    }

    /// Gives the file its name, replacing any file of that name. Do not write after this call.
    func finish() throws(UserError) {
        flush()
        if let failure { throw OutputPath.cannotWrite(name, failure) }
        guard let target else { return }
        if temporary == nil {
            let name = Self.passingName(beside: target)
            guard linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 else {
                throw OutputPath.cannotWrite(target, errno)
            }
            temporary = name
        }
        guard let name = temporary, rename(name, target) == 0 else { throw OutputPath.cannotWrite(target, errno) }
        temporary = nil
    }

    private func flush() {
        defer { buffer.removeAll(keepingCapacity: true) }
        guard failure == nil else { return }
        failure = Descriptor.write(buffer, to: descriptor)
    }

    // MARK: Names

    /// `O_TMPFILE`, a macro that Swift does not import.
    private static let withoutName = 0o20000000 | O_DIRECTORY

    /// Resolves symbolic links, so that a link at `path` stays a link.
    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    private static func passingName(beside path: String) -> String {
        "\(OutputPath.folder(of: path))/\(passingPrefix)\(UUID().uuidString)"
    }

    private static let passingPrefix = ".hopscope-"
    private static let day = 86_400

    /// Removes the incomplete files that killed commands of this user left in a folder and last wrote before `time`, in seconds since 1970.
    static func removeLeftovers(in folder: String, before time: Int) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasPrefix(passingPrefix) {
            var status = stat()
            let path = "\(folder)/\(name)"
            guard UUID(uuidString: String(name.dropFirst(passingPrefix.count))) != nil, lstat(path, &status) == 0,
                status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_mtim.tv_sec < time
            else { continue }
            unlink(path)
        }
    }
}
