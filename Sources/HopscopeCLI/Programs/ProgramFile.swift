import Foundation
import TraceTransport

/// A program's executable file. It explains why no task of the program was seen, or why the program did not start.
struct ProgramFile {
    /// The kind of program.
    enum Sort {
        case swift
        /// A Swift program that links the Swift runtime statically.
        case swiftWithRuntime
        /// A Swift program that loads no shared libraries, so the probe cannot be preloaded.
        case swiftWithEverything
        /// A program in another language that loads no shared libraries.
        case statical
        /// A machine-code program in another language.
        case other
        /// Not machine code: a script, or another file that an interpreter runs.
        case script
    }

    let sort: Sort
    let path: String
    /// Whether the probe is linked into the program.
    let holdsProbe: Bool
    /// The loader of shared libraries that the program asks for; nil for none.
    let loader: String?
    /// The number of the processor type that the program is made for; nil for a script.
    let machine: UInt16?

    /// Looks the command up in `PATH`, as a shell does.
    init?(_ command: String) {
        guard let path = Self.paths(of: command).first(where: FileManager.default.isExecutableFile(atPath:)),
            let bytes = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
        else { return nil }
        self.path = path
        guard bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46]) else {
            (sort, holdsProbe, loader, machine) = (.script, false, nil, nil)
            return
        }
        let isSwift = bytes.range(of: Data("swift5_protocols".utf8)) != nil || bytes.range(of: Data("swift5_types".utf8)) != nil
        let loadsRuntime = NeededLibraries(of: bytes).names.contains("libswiftCore.so")
        loader = Self.loader(in: bytes.prefix(8192))
        holdsProbe = ProbeAnswer.isProbe(in: bytes)
        machine = bytes.count > 20 ? UInt16(bytes[18]) | UInt16(bytes[19]) << 8 : nil
        sort =
            switch (isSwift, loader != nil) {
            case (true, true): loadsRuntime ? .swift : .swiftWithRuntime
            case (true, false): .swiftWithEverything
            case (false, true): .other
            case (false, false): .statical
            }
    }

    /// A path such as `/lib64/ld-linux-x86-64.so.2`.
    private static func loader(in bytes: Data) -> String? {
        guard let name = bytes.range(of: Data("/ld-".utf8)) else { return nil }
        let start = bytes[..<name.lowerBound].lastIndex(of: 0).map { $0 + 1 } ?? bytes.startIndex
        let end = bytes[name.upperBound...].firstIndex(of: 0) ?? bytes.endIndex
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    /// The paths where the command can be.
    private static func paths(of command: String) -> [String] {
        guard !command.contains("/") else { return [command] }
        return (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(command)" }
    }

    /// The reason why the system preloads no library into the program: it runs with privileges that this user lacks. Nil if it has none.
    func rights(_ name: String) -> String? {
        var status = stat()
        guard sort != .script, stat(path, &status) == 0 else { return nil }
        let advice =
            "so the system preloads no probe into it. Run a copy without those rights, or publish from it with Inspector.publish()."
        if status.st_mode & S_ISUID != 0, status.st_uid != getuid() { return "'\(name)' runs as its owner (setuid), \(advice)" }
        if status.st_mode & S_ISGID != 0, status.st_gid != getgid() { return "'\(name)' runs as its group (setgid), \(advice)" }
        return nil
    }

    // MARK: Programs that do not start

    /// The error for a program that did not start, from the system's error number.
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
        case (EAGAIN, _): return WorkerThread.noneLeft
        case (ENOEXEC, _): return "it is no program for this machine, and has no '#!' line that names one"
        case _: return String(cString: strerror(error)).lowercased()
        }
    }
}

extension ProgramFile.Sort {
    /// The reason why no task of the program was seen.
    func sentence(_ name: String) -> String {
        switch self {
        case .swift: "'\(name)' has made no Swift tasks, so there is nothing to show."
        case .swiftWithRuntime:
            "'\(name)' has the Swift runtime in itself, where nothing can be preloaded; give it the package's product HopscopeStaticProbe."
        case .swiftWithEverything:
            "'\(name)' loads no libraries, so the probe cannot be; give it the package's product HopscopeStaticProbe."
        case .statical: "'\(name)' is no Swift program, and loads no libraries, so there is nothing to show."
        case .other:
            "'\(name)' is no Swift program, and no Swift tasks were seen in a program that it may have started, so there is nothing to show."
        case .script: "'\(name)' has started no program in which Swift tasks were seen, so there is nothing to show."
        }
    }
}
