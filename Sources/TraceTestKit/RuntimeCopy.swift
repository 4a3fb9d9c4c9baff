import Foundation

/// A changed copy of the Swift Concurrency runtime, which programs load instead of the toolchain's.
package final class RuntimeCopy: Sendable {
    private let folder: ScratchFolder
    private let other: OtherRuntime?
    private let toolchain: URL

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

    /// A copy of the toolchain's runtime, or of another one.
    package init(_ changes: [RuntimeChange], of other: OtherRuntime? = nil) throws {
        guard let found = Self.libraries else { throw RuntimeNotMade(reason: "There is no toolchain.") }
        (folder, self.other, toolchain) = (try ScratchFolder(), other, found)
        let original = other.map { URL(fileURLWithPath: $0.libraries) } ?? found
        let copy = URL(fileURLWithPath: folder.path(Self.name))
        var bytes = RuntimeBytes(try Data(contentsOf: original.appendingPathComponent(Self.name)))
        for change in changes where change != .stripped { try bytes.apply(change) }
        try bytes.data.write(to: copy)
        guard changes.contains(.stripped) else { return }
        let strip = try Process.run(URL(fileURLWithPath: "/usr/bin/env"), arguments: ["strip", "--strip-all", copy.path])
        strip.waitUntilExit()
        guard strip.terminationStatus == 0 else { throw RuntimeNotMade(reason: "'strip' failed.") }
    }

    /// The variables with which a program loads the copy.
    package var environment: [String: String] {
        // The copy is in another folder, so it finds the other libraries only by this path. A runtime that is not whole takes the rest from
        // the toolchain.
        let folders = [folder.path] + (other.map { [$0.libraries] + $0.systemLibraries } ?? []) + [toolchain.path]
        return ["LD_LIBRARY_PATH": folders.joined(separator: ":")]
    }

    /// The program, so that it can be loaded with the copy.
    package func prepared(_ program: String) throws -> String {
        guard let other else { return program }
        let path = folder.path((program as NSString).lastPathComponent)
        guard !FileManager.default.fileExists(atPath: path) else { return path }
        var bytes = RuntimeBytes(try Data(contentsOf: URL(fileURLWithPath: program)))
        bytes.weakenReferences()
        if let loader = other.loader { bytes.setLoader(loader) }
        try bytes.data.write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }
}

/// A real Swift runtime of another version. `Scripts/runtimes` gets them.
package struct OtherRuntime: Sendable, CustomStringConvertible {
    /// The version of Swift.
    package let version: String
    private let folder: String

    package var description: String { "Swift \(version)" }
    package var libraries: String { "\(folder)/swift" }
    /// The system's libraries and the loader that it needs, if it was built for another Linux.
    fileprivate var systemLibraries: [String] { loader == nil ? [] : ["\(folder)/system"] }
    fileprivate var loader: String? {
        let path = "\(folder)/loader"
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }

    /// The runtimes that are here, the earliest first.
    package static let all: [OtherRuntime] = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../.build/runtimes").standardized
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
        return versions.sorted().filter { FileManager.default.fileExists(atPath: "\(root.path)/\($0)/swift/libswift_Concurrency.so") }
            .map { OtherRuntime(version: $0, folder: "\(root.path)/\($0)") }
    }()
}
