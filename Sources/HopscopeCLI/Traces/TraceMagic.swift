import Glibc

/// The first eight bytes of a trace file.
enum TraceMagic: String {
    case recording = "HOPTRACE"
    case lanes = "HOPLANES"

    /// Nil if the file begins with neither text.
    init?(of descriptor: Int32) {
        var beginning = [UInt8](repeating: 0, count: 8)
        guard pread(descriptor, &beginning, 8, 0) == 8 else { return nil }
        self.init(rawValue: String(decoding: beginning, as: UTF8.self))
    }

    /// Whether the file at that path is a trace that this user can read.
    static func isTrace(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return TraceMagic(of: descriptor) != nil
    }
}
