import Foundation

/// A changed copy of the Swift Concurrency runtime, which programs load instead of the toolchain's.
package final class RuntimeCopy: Sendable {
    package enum Change: Sendable {
        /// Without the symbol table, as distributions ship it.
        case stripped
        /// Without one exported symbol.
        case without(String)
    }

    private struct NoToolchain: Error {}

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

    package init(_ change: Change) throws {
        guard let found = Self.libraries else { throw NoToolchain() }
        folder = try ScratchFolder()
        original = found
        let copy = URL(fileURLWithPath: folder.path(Self.name))
        try FileManager.default.copyItem(at: found.appendingPathComponent(Self.name), to: copy)
        switch change {
        case .stripped:
            let strip = try Process.run(URL(fileURLWithPath: "/usr/bin/env"), arguments: ["strip", "--strip-all", copy.path])
            strip.waitUntilExit()
            guard strip.terminationStatus == 0 else { throw NoToolchain() }
        case .without(let symbol):
            var bytes = try Data(contentsOf: copy)
            // In tables of names, each name is between two zeros. The changed name no longer has the hash that the loader looks up.
            let wanted = Data([0] + symbol.utf8 + [0])
            while let range = bytes.range(of: wanted) { bytes[range.upperBound - 2] = UInt8(ascii: "!") }
            try bytes.write(to: copy)
        }
    }

    /// The variables with which a program loads the copy.
    package var environment: [String: String] {
        // The copy is in another folder, so it finds the toolchain's other libraries only by this path.
        ["LD_LIBRARY_PATH": "\(folder.path):\(original.path)"]
    }
}
