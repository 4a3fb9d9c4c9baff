import Loader
import Testing

@Test func loadsPages() async throws {
    let loader = Loader()
    #expect(try await loader.load(1) == "page 1")
}

@Test func refusesPagesThatDoNotExist() async throws {
    let loader = Loader()
    for page in [0, -1] {
        await #expect(throws: NoSuchPage.self) { try await loader.load(page) }
    }
    #expect(try await loader.load(2) == "page 2")
}
