import Foundation

/// A changed copy of the Swift Concurrency runtime, which programs load instead of the toolchain's.
package final class RuntimeCopy: Sendable {
    private let folder: ScratchFolder
    private let original: URL

    private static let name = "libswift_Concurrency.so"

    /// The folder of the toolchain's runtime.
    private static let libraries: URL? = {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let swifts = folders.map { URL(fileURLWithPath: "\($0)/swift").resolvingSymlinksInPath() }
        let libraries = swifts.map { $0.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("lib/swift/linux") }
        return libraries.first { FileManager.default.fileExists(atPath: $0.appendingPathComponent(name).path) }
    }()

    /// Whether the toolchain's own runtime has no symbol table, as in distributions.
    package static let isToolchainStripped: Bool = {
        guard let file = libraries.flatMap({ try? Data(contentsOf: $0.appendingPathComponent(name)) }) else { return false }
        return file.range(of: Data("\0.symtab\0".utf8)) == nil
    }()

    /// Whether the machine code of this machine's runtime can be changed: its patterns are those of x86-64 and Swift 6.3.
    package static let changesCode: Bool = {
        #if arch(x86_64)
            guard let file = libraries.flatMap({ try? Data(contentsOf: $0.appendingPathComponent(name)) }) else { return false }
            var bytes = RuntimeBytes(file)
            return (try? bytes.apply(.childFragment(size: 32))) != nil
        #else
            return false
        #endif
    }()

    package convenience init(_ change: RuntimeChange) throws { try self.init([change]) }

    package init(_ changes: [RuntimeChange]) throws {
        guard let found = Self.libraries else { throw RuntimeNotMade(reason: "There is no toolchain.") }
        folder = try ScratchFolder()
        original = found
        let copy = URL(fileURLWithPath: folder.path(Self.name))
        var bytes = RuntimeBytes(try Data(contentsOf: found.appendingPathComponent(Self.name)))
        for change in changes where change != .stripped { try bytes.apply(change) }
        try bytes.data.write(to: copy)
        guard changes.contains(.stripped) else { return }
        let strip = try Process.run(URL(fileURLWithPath: "/usr/bin/env"), arguments: ["strip", "--strip-all", copy.path])
        strip.waitUntilExit()
        guard strip.terminationStatus == 0 else { throw RuntimeNotMade(reason: "'strip' failed.") }
    }

    /// The variables with which a program loads the copy.
    package var environment: [String: String] {
        // The copy is in another folder, so it finds the toolchain's other libraries only by this path.
        ["LD_LIBRARY_PATH": "\(folder.path):\(original.path)"]
    }
}
