// Asynchronous tests of XCTest. Each prints the names of the tasks that a trace has to show.

import XCTest

final class Naming: XCTestCase {
    nonisolated(unsafe) static var all = [
        ("testA", asyncTest(Naming.testA)), ("testWithALongerName", asyncTest(Naming.testWithALongerName)),
    ]

    func testA() async throws { await Task.yield() }

    func testWithALongerName() async throws {
        let inner = Task { 1 }
        let named = Task(name: "named") { 2 }
        let sum = await inner.value + named.value
        XCTAssertEqual(sum, 3)
    }
}

final class Other: XCTestCase {
    nonisolated(unsafe) static var all = [("testÄ", asyncTest(Other.testÄ))]

    func testÄ() async throws { await Task.yield() }
}

@main
struct Main {
    static func main() { XCTMain([testCase(Naming.all), testCase(Other.all)]) }
}
