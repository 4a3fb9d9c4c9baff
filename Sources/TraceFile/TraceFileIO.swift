import Glibc
import TaskEvents

/// A recording's file, opened for appending.
///
/// Errors are whole sentences for the user. A write that fails removes the bytes that it had written.
final class TraceFileOutput {
    typealias Write = (_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int

    let path: String
    private let descriptor: Int32
    private let systemWrite: Write
    /// The file's size in bytes.
    private(set) var size = 0

    /// Creates the file, or empties an existing recording. Refuses any other existing file, and a recording that is being written, and
    /// leaves it unchanged. `write` is the system call; tests replace it.
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
        // The lock ends with the descriptor. A file system without locks has no way to tell.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else { throw Self.isWritten(path) }
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

    /// Whether a recording is being written to the open file.
    static func isLocked(_ descriptor: Int32) -> Bool {
        flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// The reason why a file to which another recording is written is left alone.
    static func isWritten(_ path: String) -> TraceProblem {
        TraceProblem(.unavailable, "“\(path)” is being written by another recording; end that one, or name another file to record to.")
    }

    /// Removes the file, which has nothing of use in it.
    func remove() {
        var (own, there) = (stat(), stat())
        guard fstat(descriptor, &own) == 0, lstat(path, &there) == 0, own.st_dev == there.st_dev, own.st_ino == there.st_ino else { return }
        unlink(path)
    }

    /// Appends all bytes or none.
    func append(_ bytes: [UInt8]) throws(TraceProblem) {
        let error = bytes.withUnsafeBytes(writeAll)
        guard error == 0 else {
            _ = ftruncate(descriptor, off_t(size))
            throw Self.problem("The recording “\(path)” ends early: it cannot be written further", error)
        }
        size += bytes.count
    }

    /// Returns the error number, or 0 on success.
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
        TraceProblem(TraceProblem.Kind(error: error), "\(what): \(words(of: error))")
    }

    /// The remedy for a known error, else the system's message.
    private static func words(of error: Int32) -> String {
        switch error {
        case ENOENT, ENOTDIR: "there is no such file or directory."
        case EPERM, EACCES: "you have no permission for that; choose another file, or change its permissions."
        case ENOSPC: "the disk is full. Make room, or record to another one."
        case EDQUOT: "your quota of the disk is used up. Make room, or record to another one."
        case EFBIG: "the file is as long as it may be. Record to another file."
        case EISDIR: "it is a directory; name a file in it."
        default: "\(String(cString: strerror(error)))."
        }
    }
}

/// A recording's file, opened for reading at any offset. It is read by system calls and never mapped, because touching a mapped page that
/// the file has lost would end this program.
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

    /// The file's current size in bytes.
    var size: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Copies the file's bytes from `offset` on. Returns the number of bytes. It is less than the buffer's size at the end of the file or
    /// after a read error.
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

    /// Returns up to `count` bytes from `offset` on as an array.
    func bytes(at offset: Int, count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
        }
    }
}
