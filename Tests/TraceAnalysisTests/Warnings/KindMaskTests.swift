import TaskEvents
import Testing

@testable import TraceAnalysis

@Suite("Masks of event kinds")
struct KindMaskTests {
    @Test("Every raw value up to 63 has a bit of its own")
    func bits() {
        let bits = (UInt8(0)...63).map(ThreadJobs.bit(ofCode:))
        #expect(bits.allSatisfy { $0 != 0 })
        #expect(Set(bits).count == 64)
    }

    @Test("Every kind has a bit")
    func kinds() {
        #expect(EventKind.allCases.allSatisfy { ThreadJobs.bit(ofCode: $0.rawValue) != 0 })
    }
}
