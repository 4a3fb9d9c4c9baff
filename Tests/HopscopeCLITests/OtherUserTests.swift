import Foundation
import Testing
import TraceTestKit

/// Another user's process cannot read a region or send a command. Only root can run a program as another user.
@Suite(.enabled(if: geteuid() == 0), .timeLimit(.minutes(2)))
struct OtherUserTests {
    /// The user `nobody`, with its id on Debian.
    private let asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]

    @Test("Another user is refused with a sentence: by process id, by file, and where the directory permits access")
    func readsNoRegion() async throws {
        let folder = try await RecordedFolder()
        // A copy that the other user may execute.
        let copy = try ScratchFolder()
        #expect(chmod(copy.path, 0o755) == 0)
        try FileManager.default.copyItem(atPath: Hopscope.path, toPath: copy.path("hopscope"))
        #expect(chmod(copy.path("hopscope"), 0o755) == 0)
        let version = try await FinishedProcess.run(asNobody + [copy.path("hopscope"), "--version"])
        #expect(version.status == 0, "\(version.errors)")

        func read(_ what: String) async throws -> FinishedProcess {
            try await FinishedProcess.run(
                asNobody + ["env", "HOPSCOPE=\(folder.path("lanes"))", copy.path("hopscope"), "report", what])
        }
        let byFile = try await read(folder.region)
        #expect(byFile.status == 65, "\(byFile.errors)")
        #expect(byFile.errors.contains("may not be read by you"))
        let number = URL(fileURLWithPath: folder.region).lastPathComponent.prefix { $0.isNumber }
        let byNumber = try await read(String(number))
        #expect(byNumber.status == 69, "\(byNumber.errors)")

        // The file's own mode keeps the other user out.
        #expect(chmod(folder.scratch.path, 0o755) == 0 && chmod(folder.path("lanes"), 0o755) == 0)
        let throughTheDirectory = try await read(folder.region)
        #expect(throughTheDirectory.status == 65)
        #expect(throughTheDirectory.errors.contains("may not be read by you"))
    }

    @Test("The control socket refuses every user that the file's mode refuses")
    func usesNoSocket() async throws {
        let scratch = try ScratchFolder()
        let lanes = try scratch.privateFolder("lanes")
        // The client connects by name while the program runs, with every directory on the way permitting it.
        let connect = """
            use Socket;
            socket(my $socket, AF_UNIX, SOCK_SEQPACKET, 0) or die;
            print connect($socket, pack_sockaddr_un($ARGV[0])) ? "in\\n" : $!{EACCES} ? "kept out\\n" : "$!\\n";
            """
        let shell = """
            HOPSCOPE="$2" "$1" demo load --tasks 40000 --no-ui >/dev/null & program=$!
            until [ -e "$2"/*.control ]; do :; done
            chmod 755 "$2" "$(dirname "$2")"
            perl -e "$3" "$2"/*.control
            setpriv --reuid=65534 --regid=65534 --clear-groups perl -e "$3" "$2"/*.control
            kill -KILL $program
            """
        let process = try await FinishedProcess.run(["sh", "-c", shell, "sh", Hopscope.path, lanes, connect])
        #expect(process.output == "in\nkept out\n", "\(process.errors)")
    }
}
