import CExploreRecord
import Testing

@testable import HopscopeCLI

@Suite struct ExploreRecordTests {
    @Test("Counts that an explored process wrote beyond the file's room are not believed")
    func distrustsCounts() throws {
        let meeting = try ExploreMeeting()
        let header = explore_header_of(meeting.file())
        (header.pointee.strands, header.pointee.choices) = (.max, .max)
        let process = ExploredProcess(-1, meeting)
        #expect(process.strands().count == Int(EXPLORE_STRANDS))
        #expect(process.choices().count == Int(EXPLORE_CHOICES))
        #expect(OrderOutcome(process.header).choices == Int(EXPLORE_CHOICES))
    }
}
