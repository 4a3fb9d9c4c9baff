import Glibc

/// The eight bytes that a trace begins with.
enum TraceMark: String {
    case recording = "HOPTRACE"
    case lanes = "HOPLANES"

    /// Nil for a file that begins with neither.
    init?(of descriptor: Int32) {
        var beginning = [UInt8](repeating: 0, count: 8)
        guard pread(descriptor, &beginning, 8, 0) == 8 else { return nil }
        self.init(rawValue: String(decoding: beginning, as: UTF8.self))
    }

    /// Whether there is a trace at that path that this user may read.
    static func isTrace(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return TraceMark(of: descriptor) != nil
    }
}
