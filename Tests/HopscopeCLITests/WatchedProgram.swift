import Foundation
import TraceTestKit

/// The programs of `Programs`, in every form that a program can have. ``BuildFolder`` keeps them.
enum WatchedProgram: String, CaseIterable, Sendable {
    case swift, stripped, withRuntime, withEverything
    /// A Swift program whose task throws an error that nothing reads.
    case invisibleError
    /// A Swift program with a task that sleeps for ever.
    case sleeping
    /// The same, with everything in it, and without symbols.
    case sleepingStatic, sleepingStripped
    /// The program on which the documents' commands are tried.
    case app
    /// The program of the walkthrough's chapter about blocks.
    case photos
    /// A Swift program whose tasks know their shares of time.
    case shares
    /// A Swift program with bugs that only some orders of its tasks show.
    case orders
    /// A Swift program that hangs in the way that its argument names.
    case hangs
    /// A Swift program with the problem that its argument names.
    case problems
    case forks, staticForks
    /// A program that cleared its dumpable flag.
    case undumpable
    /// A library that sets the clock back.
    case steppedClock
    /// A library that sets the clock back and forth all the time.
    case restlessClock
    /// A library that lets a program make no process.
    case noForks
    /// A program with the runtime and the probe in it.
    case holdsProbe
    /// Scripts: one that replaces itself by the Swift program, one whose interpreter is missing, one without an interpreter line.
    case script, withoutInterpreter, withoutFirstLine
    /// A program without execute permission, and one for another machine type.
    case notExecutable, broken

    private static let folder = BuildFolder("HopscopeCLITests")

    static func source(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Programs/\(name)").path
    }

    struct NoSuchText: Error {
        let text: String
    }

    /// The number of the line where a text begins in a program's source, without the spaces before it.
    static func line(of text: String, in program: String) throws -> Int {
        let source = try String(contentsOfFile: source(program), encoding: .utf8)
        guard let range = source.range(of: text) else { throw NoSuchText(text: text) }
        return source[..<range.lowerBound].count { $0 == "\n" } + 1
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
        case .app: return ["swiftc", "-swift-version", "6", "-parse-as-library", "-g", Self.source("App.swift"), "-o", path]
        case .photos: return ["swiftc", "-swift-version", "6", "-parse-as-library", "-O", "-g", Self.source("Photos.swift"), "-o", path]
        case .shares: return ["swiftc", "-swift-version", "6", "-parse-as-library", "-g", Self.source("Shares.swift"), "-o", path]
        case .orders:
            let sources = ["Orders.swift", "Clocks.swift", "Planted.swift", "PlantedThreads.swift"].map(Self.source)
            let swiftc = ["swiftc", "-swift-version", "6", "-parse-as-library", "-g", "-import-objc-header", Self.source("Clocks.h")]
            return swiftc + sources + ["-o", path]
        case .problems:
            return ["swiftc", "-swift-version", "6", "-parse-as-library", "-g", Self.source("Problems.swift"), "-o", path]
        case .sleeping: return ["swiftc", "-swift-version", "6", "-parse-as-library", "-g", Self.source("Sleeping.swift"), "-o", path]
        case .sleepingStatic, .sleepingStripped:
            return ["swiftc", "-swift-version", "6", "-parse-as-library", "-static-executable", Self.source("Sleeping.swift"), "-o", path]
                + (self == .sleepingStripped ? ["-Xlinker", "--strip-all"] : [])
        case .hangs:
            return ["swiftc", "-swift-version", "5", "-parse-as-library", "-g"] + ["Hangs.swift", "Ways.swift"].map(Self.source) + [
                "-o", path,
            ]
        case .stripped: return swiftc + ["-Xlinker", "--strip-all"]
        case .withRuntime: return swiftc + ["-static-stdlib"]
        case .withEverything: return swiftc + ["-static-executable"]
        case .forks: return ["cc", Self.source("Forks.c"), "-o", path]
        case .undumpable: return ["cc", Self.source("Undumpable.c"), "-o", path]
        case .steppedClock: return ["cc", "-shared", "-fPIC", Self.source("SteppedClock.c"), "-o", path, "-ldl"]
        case .restlessClock: return ["cc", "-shared", "-fPIC", Self.source("RestlessClock.c"), "-o", path, "-ldl"]
        case .noForks: return ["cc", "-shared", "-fPIC", Self.source("NoForks.c"), "-o", path, "-ldl"]
        case .holdsProbe:
            let folder = URL(fileURLWithPath: Hopscope.path).deletingLastPathComponent().path
            let objects = ["CConcurrencyProbe", "CTraceLanes"].map { "'\(folder)/\($0).build'/*.o" }.joined(separator: " ")
            let compiler = (swiftc + ["-static-stdlib"]).map { "'\($0)'" }.joined(separator: " ")
            return ["sh", "-c", "\(compiler) \(objects)"]
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
