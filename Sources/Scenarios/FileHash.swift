import Foundation
import Glibc

/// The system's reason why a file or a directory cannot be read.
struct FileError: Error, CustomStringConvertible {
    let path: String
    let code: Int32

    var description: String { "\(path): \(String(cString: strerror(code)))" }
}

/// The regular files and the directories in a directory. Does not follow links.
struct Listing: Sendable {
    var files: [String] = []
    var directories: [String] = []

    /// The paths begin with `directory`.
    init(of directory: String) throws {
        guard let stream = opendir(directory) else { throw FileError(path: directory, code: errno) }
        defer { closedir(stream) }
        let prefix = directory.hasSuffix("/") ? directory : directory + "/"
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name == "." || name == ".." { continue }
            var status = stat()
            guard lstat(prefix + name, &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFREG: files.append(prefix + name)
            case S_IFDIR: directories.append(prefix + name)
            default: break
            }
        }
        files.sort()
        directories.sort()
    }
}

/// A file's length and its FNV-1a hash.
struct FileHash: Sendable {
    private(set) var length = 0
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    init(of path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(path: path, code: errno) }
        defer { close(descriptor) }
        try withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { buffer in
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                if count == 0 { return }
                if count < 0 {
                    if errno == EINTR { continue }
                    throw FileError(path: path, code: errno)
                }
                length += count
                for byte in buffer.prefix(count) {
                    value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
                }
            }
        }
    }
}
