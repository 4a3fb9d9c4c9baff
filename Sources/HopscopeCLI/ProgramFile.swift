import Foundation

/// What sort of program a file is, for a sentence on why nothing was seen of it.
enum ProgramFile {
    case swift
    /// Swift, with its runtime in the file itself.
    case swiftWithRuntime
    /// It loads no libraries, so that none can be preloaded.
    case statical
    /// Machine code of another language.
    case other
    /// Not machine code: a script, or something else that another program runs.
    case script

    /// Looks where the shell would.
    init?(_ command: String) {
        let folders =
            command.contains("/") ? [""] : (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/" }
        let path = folders.map { $0 + command }.first { FileManager.default.isExecutableFile(atPath: $0) }
        guard let path, let bytes = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped) else { return nil }
        guard bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46]) else {
            self = .script
            return
        }
        let isSwift = bytes.range(of: Data("swift5_protocols".utf8)) != nil || bytes.range(of: Data("swift5_types".utf8)) != nil
        let loadsRuntime = bytes.range(of: Data("libswiftCore.so".utf8)) != nil
        let loadsLibraries = bytes.range(of: Data("/ld-".utf8), in: 0..<min(bytes.count, 8192)) != nil
        if !loadsLibraries { self = .statical } else if !isSwift { self = .other } else { self = loadsRuntime ? .swift : .swiftWithRuntime }
    }

    /// Why nothing was seen of it.
    func sentence(_ name: String) -> String {
        switch self {
        case .swift: "'\(name)' has made no Swift tasks, so there is nothing to show."
        case .swiftWithRuntime:
            "'\(name)' has the Swift runtime in itself, where nothing can be preloaded; give it the package's product HopscopeStaticProbe."
        case .statical: "'\(name)' loads no libraries, so the probe cannot be; give it the package's product HopscopeStaticProbe."
        case .other: "'\(name)' is no Swift program, and has started none that made tasks, so there is nothing to show."
        case .script: "'\(name)' has started no Swift program that made tasks, so there is nothing to show."
        }
    }
}
