import Foundation

/// What sort of program a file is, for a sentence on why nothing was seen of it.
enum ProgramFile {
    case swift
    /// Swift, with its runtime in the file itself.
    case swiftWithRuntime
    /// Swift, and all that it needs in the file itself: no library can be preloaded.
    case swiftWithEverything
    /// Another language's, that loads no libraries either.
    case statical
    /// Machine code of another language.
    case other
    /// Not machine code: a script, or something else that another program runs.
    case script

    /// Looks where the shell would.
    init?(_ command: String) {
        guard let path = Self.paths(of: command).first(where: FileManager.default.isExecutableFile(atPath:)),
            let bytes = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
        else { return nil }
        guard bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46]) else {
            self = .script
            return
        }
        let isSwift = bytes.range(of: Data("swift5_protocols".utf8)) != nil || bytes.range(of: Data("swift5_types".utf8)) != nil
        let loadsRuntime = bytes.range(of: Data("libswiftCore.so".utf8)) != nil
        let loadsLibraries = bytes.range(of: Data("/ld-".utf8), in: 0..<min(bytes.count, 8192)) != nil
        self =
            switch (isSwift, loadsLibraries) {
            case (true, true): loadsRuntime ? .swift : .swiftWithRuntime
            case (true, false): .swiftWithEverything
            case (false, true): .other
            case (false, false): .statical
            }
    }

    /// Where a command may lie.
    private static func paths(of command: String) -> [String] {
        guard !command.contains("/") else { return [command] }
        return (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(command)" }
    }

    /// Why nothing was seen of it.
    func sentence(_ name: String) -> String {
        switch self {
        case .swift: "'\(name)' has made no Swift tasks, so there is nothing to show."
        case .swiftWithRuntime:
            "'\(name)' has the Swift runtime in itself, where nothing can be preloaded; give it the package's product HopscopeStaticProbe."
        case .swiftWithEverything:
            "'\(name)' loads no libraries, so the probe cannot be; give it the package's product HopscopeStaticProbe."
        case .statical: "'\(name)' is no Swift program, and loads no libraries, so there is nothing to show."
        case .other:
            "'\(name)' is no Swift program, and no program that it may have started told of Swift tasks, so there is nothing to show."
        case .script: "'\(name)' has started no program that told of Swift tasks, so there is nothing to show."
        }
    }

    /// Why a program could not be started, by the error that the system gave.
    static func cannotStart(_ command: String, _ error: Int32) -> UserError {
        UserError("'\(command)' could not be started: \(reason(command, error)).", .cannotStart)
    }

    private static func reason(_ command: String, _ error: Int32) -> String {
        let path = paths(of: command).first(where: FileManager.default.fileExists(atPath:))
        var isDirectory: ObjCBool = false
        switch (error, path) {
        case (ENOENT, nil): return "there is no such program"
        case (ENOENT, _?): return "it is there, but the program that its first line names, or the loader that it asks for, is not"
        case (EACCES, let path?) where FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue:
            return "it is a directory"
        case (EACCES, let path?) where !FileManager.default.isExecutableFile(atPath: path):
            return "it may not be executed; 'chmod +x' allows that"
        case (ENOEXEC, _): return "it is no program for this machine, and has no '#!' line that names one"
        case _: return String(cString: strerror(error)).lowercased()
        }
    }
}
