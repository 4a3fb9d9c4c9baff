import Glibc
import TaskEvents

/// A recording's file, to write at its end.
///
/// What it says went wrong is a whole sentence. A write that fails takes back what it had written of it.
final class TraceFileOutput {
    typealias Write = (_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int

    let path: String
    private let descriptor: Int32
    private let systemWrite: Write
    /// Bytes of the file.
    private(set) var size = 0

    /// Makes the file, or empties a recording that is there; anything else that is there stays as it is. `write` is the system's, but for
    /// tests.
    init(path: String, write: @escaping Write = { write($0, $1, $2) }) throws(TraceProblem) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        self.path = path
        systemWrite = write
        guard descriptor >= 0 else { throw Self.problem("The recording “\(path)” cannot be written", errno) }
        do throws(TraceProblem) {
            try empty()
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit {
        close(descriptor)
    }

    private func empty() throws(TraceProblem) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw TraceProblem(.refused, "“\(path)” is no plain file; name another one to record to.")
        }
        var beginning = [UInt8](repeating: 0, count: TraceFileHeader.magic.count)
        let count = beginning.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        guard count == 0 || count == beginning.count && beginning == TraceFileHeader.magic else {
            throw TraceProblem(
                .refused, "“\(path)” exists and is no recording, so it is not overwritten; name another file to record to.")
        }
        guard ftruncate(descriptor, 0) == 0 else { throw Self.problem("The recording “\(path)” cannot be written", errno) }
    }

    /// Adds all of the bytes or none.
    func append(_ bytes: [UInt8]) throws(TraceProblem) {
        let error = bytes.withUnsafeBytes(writeAll)
        guard error == 0 else {
            _ = ftruncate(descriptor, off_t(size))
            throw Self.problem("The recording “\(path)” ends early: it cannot be written further", error)
        }
        size += bytes.count
    }

    /// Returns the error's number, 0 for none.
    private func writeAll(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        var written = 0
        while written < bytes.count {
            let count = systemWrite(descriptor, bytes.baseAddress.map { $0 + written }, bytes.count - written)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? ENOSPC : errno }
            written += count
        }
        return 0
    }

    static func problem(_ what: String, _ error: Int32) -> TraceProblem {
        let kind: TraceProblem.Kind =
            switch error {
            case ENOENT, ENOTDIR: .missing
            case EPERM, EACCES, ELOOP: .refused
            default: .unavailable
            }
        return TraceProblem(kind, "\(what): \(words(of: error))")
    }

    /// What to do about it where that is known, else the system's words.
    private static func words(of error: Int32) -> String {
        switch error {
        case ENOENT, ENOTDIR: "there is no such file or directory."
        case EPERM, EACCES: "you may not do that; choose another file, or change who may."
        case ENOSPC, EDQUOT: "the disk is full. Make room, or record to another one."
        case EFBIG: "the file is as long as it may be. Record to another file."
        case EISDIR: "it is a directory; name a file in it."
        default: "\(String(cString: strerror(error)))."
        }
    }
}

/// A recording's file, to read anywhere. By system calls and never mapped: a mapped page that the file loses would end this program.
final class TraceFileInput: Sendable {
    let path: String
    private let descriptor: Int32

    init(path: String) throws(TraceProblem) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        self.path = path
        guard descriptor >= 0 else { throw TraceFileOutput.problem("The recording “\(path)” cannot be read", errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw TraceProblem(.unreadable, "“\(path)” is no plain file, and so no recording.")
        }
    }

    deinit {
        close(descriptor)
    }

    /// Bytes that it has now.
    var size: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Copies what there is from `offset` on. Returns how many bytes that were: fewer than asked for at the end, or where it cannot be
    /// read.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var filled = 0
        while filled < buffer.count {
            let count = pread(descriptor, buffer.baseAddress.map { $0 + filled }, buffer.count - filled, off_t(offset + filled))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            filled += count
        }
        return filled
    }

    /// The same as an array.
    func bytes(at offset: Int, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }
}
