import Testing

@testable import RemoteTasks

@Suite struct ThreadNameTests {
    @Test(
        "The end of a label of Dispatch's queues is shown as the label; other names stay",
        arguments: [
            ("oot.default-qos", "com.apple.root.default-qos"), ("interactive-qos", "com.apple.root.user-interactive-qos"),
            ("-qos.overcommit", "…-qos.overcommit"), ("my worker", "my worker"), ("fifteen letters", "fifteen letters"), ("", ""),
        ])
    func shown(name: String, meant: String) {
        #expect(ThreadName.shown(name) == meant)
    }
}
