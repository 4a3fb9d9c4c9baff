import Foundation
import InspectorTestKit

/// The programs of `Programs`, in every form that a program can have. Each is made once per test run.
enum WatchedProgram: String, CaseIterable, Sendable {
    case swift, stripped, withRuntime, withEverything
    /// A Swift program whose task throws an error that nothing reads.
    case invisibleError
    case forks, staticForks
    /// Scripts: one that replaces itself by the Swift program, one whose interpreter is missing, one without an interpreter line.
    case script, withoutInterpreter, withoutFirstLine
    /// A program without execute permission, and one for another machine type.
    case notExecutable, broken

    private static let folder = BuildFolder()

    private static func source(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Programs/\(name)").path
    }

    func path() throws -> String {
        try Self.folder.program(rawValue, command)
    }

    private func command(_ path: String) throws -> [String] {
        let swiftc = ["swiftc", "-swift-version", "6", "-parse-as-library", Self.source("Watched.swift"), "-o", path]
        switch self {
        case .swift: return swiftc + ["-g"]
        case .invisibleError:
            return ["swiftc", "-swift-version", "6", "-parse-as-library", "-g", Self.source("InvisibleError.swift"), "-o", path]
        case .stripped: return swiftc + ["-Xlinker", "--strip-all"]
        case .withRuntime: return swiftc + ["-static-stdlib"]
        case .withEverything: return swiftc + ["-static-executable"]
        case .forks: return ["cc", Self.source("Forks.c"), "-o", path]
        case .staticForks: return ["cc", "-static", Self.source("Forks.c"), "-o", path]
        case .script: return write("#!/bin/sh\n\"${0%/*}/swift\" \"$@\"\n", to: path)
        case .withoutInterpreter: return write("#!/nowhere/sh\n", to: path)
        case .withoutFirstLine: return write("echo out\n", to: path)
        case .notExecutable: return write("#!/bin/sh\n", to: path)
        case .broken: return write("\u{7F}ELF", to: path)
        }
    }

    private func write(_ text: String, to path: String) -> [String] {
        ["sh", "-c", "printf '%s' \"$0\" >\"$1\" && chmod \"$2\" \"$1\"", text, path, self == .notExecutable ? "600" : "700"]
    }
}
