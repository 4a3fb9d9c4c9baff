import Testing

@testable import HopscopeCLI

/// `hopscope attach NAME`.
@Suite struct ProcessNameTests {
    private static let processes: [(pid: Int32, program: String)] = [(12, "Server"), (13, "Worker"), (14, "Worker")]

    @Test("A program's name means its process; of several, the numbers are told; of none, a name that is near")
    func names() throws {
        #expect(try ProcessName.pid(of: "Server", among: Self.processes) == 12)
        #expect(throws: UserError.self) { try ProcessName.pid(of: "Worker", among: Self.processes) }
        do {
            _ = try ProcessName.pid(of: "Sever", among: Self.processes)
            Issue.record("no process has that name")
        } catch {
            #expect(error.sentence.contains("Did you mean 'Server'?"), "\(error.sentence)")
        }
        #expect(try ProcessName.pid(of: "4711") == nil)
        #expect(try ProcessName.pid(of: "./run.hop") == nil)
    }
}
