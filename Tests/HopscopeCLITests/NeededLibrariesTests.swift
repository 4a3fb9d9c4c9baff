import Foundation
import Testing
import TraceTestKit

@testable import HopscopeCLI

/// The list of a program's libraries, read from its file.
@Suite struct NeededLibrariesTests {
    private let own: Data

    init() throws {
        own = try Data(contentsOf: URL(fileURLWithPath: "/proc/self/exe"), options: .alwaysMapped)
    }

    @Test func aProgramsLibrariesAreListed() {
        let names = NeededLibraries(of: own).names
        #expect(names.contains("libswiftCore.so"))
        #expect(names.contains("libc.so.6"))
    }

    @Test func aFileThatIsCutHasFewerOrNone() {
        let all = NeededLibraries(of: own).names
        for length in 0..<1024 { #expect(NeededLibraries(of: own.prefix(length)).names.isEmpty, "\(length)") }
        #expect(NeededLibraries(of: own.prefix(own.count / 2)).names.count <= all.count)
    }

    @Test func damageIsRead() {
        var generator = SeededGenerator(seed: 15)
        let start = Data(own.prefix(8192))
        for _ in 0..<20_000 {
            var file = start
            for _ in 0..<6 { file[Int.random(in: 6..<1024, using: &generator)] = .random(in: 0...255, using: &generator) }
            #expect(NeededLibraries(of: file.prefix(.random(in: 0...8192, using: &generator))).names.count <= 4096)
        }
    }
}
