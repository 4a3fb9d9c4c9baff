import Foundation
import Testing
import TraceTestKit

/// The probe's own code, driven by many threads over a simulated runtime. The real runtime cannot be used here, because the thread
/// sanitizer sets the runtime's hooks itself.
@Suite(.serialized, .enabled(if: BuiltProbe.makesSanitizedPrograms, "the sanitizers of this toolchain make no program that runs"))
struct SanitizerTests {
    @Test(arguments: BuiltProbe.sanitizers)
    func theSanitizersFindNothing(_ sanitizer: String) async throws {
        let name = sanitizer.replacing(",", with: "-")
        let harness = try BuiltProbe.folder.program("harness-\(name)") { path in
            ["clang", "-g", "-O1", "-fsanitize=\(sanitizer)", "-fno-sanitize-recover=all", "-o", path] + BuiltProbe.sources("Harness.c")
                + BuiltProbe.sanitizerLibraries
        }
        let run = try await WatchedRun(harness, ["500"], preloads: false, isWatched: false)
        #expect(run.status == 0)
        #expect((run.counts["records"] ?? 0) > 20_000)
    }
}

extension BuiltProbe {
    /// The probe's sources and the driving program, as arguments of the compiler.
    static func sources(_ driver: String) -> [String] {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        return files(ofTests: [tests.appendingPathComponent("Programs/\(driver)").path])
    }

    /// False with Debian's Swift 6.2.3, whose sanitizers need symbols that the C library no longer has, and under emulation.
    static let makesSanitizedPrograms: Bool = {
        let path = ScratchFolder.ofTestRun.path("sanitized")
        guard (try? ScratchFolder.ofTestRun.write("int main(void) { return 0; }", to: "sanitized.c")) != nil else { return false }
        for sanitizer in sanitizers {
            let command = ["clang", "-fsanitize=\(sanitizer)", "-o", path, "\(path).c"] + sanitizerLibraries
            for arguments in [command, [path]] {
                guard let process = try? Process.run(URL(fileURLWithPath: "/usr/bin/env"), arguments: arguments) else { return false }
                process.waitUntilExit()
                guard process.terminationStatus == 0 else { return false }
            }
        }
        return true
    }()

    static let sanitizers = ["thread", "address,undefined"]

    static func files(ofTests drivers: [String]) -> [String] {
        let folders = ["CConcurrencyProbe", "CTraceLanes"].map { sources.appendingPathComponent($0).path }
        let files = folders.flatMap { folder in
            ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(".c") }.sorted()
                .map { "\(folder)/\($0)" }
        }
        return folders.flatMap { ["-I", $0, "-I", "\($0)/include"] } + drivers + files
    }

    /// The thread sanitizer of Swift's clang refers to libdispatch, so the program must link it.
    static var sanitizerLibraries: [String] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let swift = path.split(separator: ":").map { URL(fileURLWithPath: "\($0)/swift").resolvingSymlinksInPath() }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        guard let swift else { return [] }
        let libraries = swift.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("lib/swift/linux").path
        return ["-L", libraries, "-ldispatch", "-lBlocksRuntime", "-Wl,-rpath,\(libraries)"]
    }
}
