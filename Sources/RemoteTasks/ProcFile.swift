import Glibc

/// A small text file of the kernel.
package struct ProcFile {
    package let text: String

    /// The text is empty if there is no such file.
    package init(_ path: String) {
        text = String(decoding: Self.bytes(path), as: UTF8.self)
    }

    static func bytes(_ path: String) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = read(file, &buffer, buffer.count)
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
        }
    }

    /// The rest of the line that begins with `name`.
    package func field(_ name: String) -> String? {
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            return String(line.dropFirst(name.count).drop { $0 == " " || $0 == "\t" })
        }
        return nil
    }

    /// The names in a folder.
    static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }
}
