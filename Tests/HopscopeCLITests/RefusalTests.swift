import Foundation
import Testing
import TraceTestKit

/// A file that is not a trace, or cannot be trusted, is refused with a sentence on the error stream and a status for the reason.
@Suite(.timeLimit(.minutes(2)))
struct RefusalTests {
    /// The kinds of files in the place of a trace.
    enum Planted: String, CaseIterable, CustomTestStringConvertible {
        case nothing, directory, link, pipe, emptyFile, text, core, openToAll, cutRegion, newerRegion

        var testDescription: String { rawValue }

        /// The status, and a part of the sentence.
        var answer: (status: Int32, word: String) {
            switch self {
            case .nothing: (66, "no file")
            case .directory: (65, "directory")
            case .link: (65, "symbolic link")
            case .pipe: (65, "not a file")
            case .emptyFile: (65, "empty")
            case .text: (65, "no recording")
            case .core: (65, "hopscope ps")
            case .openToAll: (65, "written by every user")
            case .cutRegion: (65, "cut off")
            case .newerRegion: (65, "newer Hopscope")
            }
        }

        /// Puts the file into a folder that has a recording and a region, and returns its path.
        func put(in folder: RecordedFolder) throws -> String {
            let path = folder.path("planted")
            let url = URL(fileURLWithPath: path)
            switch self {
            case .nothing: break
            case .directory: try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            case .link: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.recording)
            case .pipe: #expect(mkfifo(path, 0o600) == 0)
            case .emptyFile: try Data().write(to: url)
            case .text: try Data("what happened: nothing\n".utf8).write(to: url)
            case .core: try Data([0x7F] + "ELF".utf8 + [2, 1, 1] + Array(repeating: 0, count: 9) + [4, 0]).write(to: url)
            case .openToAll:
                try Data(contentsOf: URL(fileURLWithPath: folder.recording)).write(to: url)
                #expect(chmod(path, 0o666) == 0)
            case .cutRegion: try folder.beginning(of: folder.region, count: 6000).write(to: url)
            case .newerRegion: try changed(try folder.beginning(of: folder.region, count: 6000), at: 8).write(to: url)
            }
            return path
        }

        private func changed(_ data: Data, at offset: Int) -> Data {
            var data = data
            data[data.startIndex + offset] = 200
            return data
        }
    }

    @Test("Every command that reads a trace refuses it in the same way", arguments: Planted.allCases)
    func refusesWhatIsPlanted(planted: Planted) async throws {
        let folder = try await RecordedFolder()
        let path = try planted.put(in: folder)
        for command in [["report"], ["check"], ["export", "--to", "dot"], ["attach"], ["record", "-o", folder.path("new.hop")]] {
            let process = try await FinishedProcess.run([Hopscope.path] + command + [path])
            #expect(process.status == planted.answer.status, "\(command): \(process.errors)")
            #expect(process.output.isEmpty)
            #expect(process.errors.contains(planted.answer.word), "\(command): \(process.errors)")
            #expect(process.errors.hasPrefix("hopscope: ") && process.errors.hasSuffix(".\n"))
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path("new.hop")))
    }

    @Test("Attaching to a process that publishes nothing, or that does not exist, exits with 69")
    func refusesProcesses() async throws {
        let none = try await Hopscope.run("report", "2000000000")
        #expect(none.status == 69)
        #expect(none.errors.contains("no process"))
        let silent = try await Hopscope.run("report", "\(getpid())")
        #expect(silent.status == 69)
        #expect(silent.errors.contains("publishes nothing"))
    }

    @Test("Without a terminal, the inspector's commands name their need and the command that works without one")
    func saysWhatDoesWithoutATerminal() async throws {
        let folder = try await RecordedFolder()
        let process = try await Hopscope.run("attach", folder.region)
        #expect(process.status == 69)
        #expect(process.errors.contains("terminal"))
        #expect(process.errors.contains("hopscope report"))
    }

    @Test("An output that cannot be written is refused before the program runs, and leaves no file")
    func refusesOutputs() async throws {
        let folder = try await RecordedFolder()
        try folder.scratch.write("mine\n", to: "notes.txt")
        let marker = folder.path("was-run")
        let overwriting = try await Hopscope.run("record", "-o", folder.path("notes.txt"), "--", "touch", marker)
        #expect(overwriting.status == 65, "\(overwriting.errors)")
        let nowhere = try await Hopscope.run("record", "-o", folder.path("no/where.hop"), "--", "touch", marker)
        #expect(nowhere.status == 66, "\(nowhere.errors)")
        #expect(folder.scratch.text("notes.txt") == "mine\n")
        #expect(!FileManager.default.fileExists(atPath: marker))

        let export = try await Hopscope.run("export", folder.recording, "--to", "dot", "-o", folder.path("no/where.dot"))
        #expect(export.status == 66)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.scratch.path)
        #expect(Set(names) == ["lanes", "run.hop", "notes.txt", "report.json"])
    }
}
