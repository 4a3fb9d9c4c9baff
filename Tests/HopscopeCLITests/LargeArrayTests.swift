import Glibc
import Testing

@testable import HopscopeCLI

@Suite(.serialized) struct LargeArrayTests {
    @Test("Large arrays have mappings of their own, however many were freed before")
    func largeArrays() throws {
        ProcessSetup.mapLargeArrays()
        // By default, each free raises the least size of mapped memory, here to 8 MiB.
        for size in [1 << 18, 1 << 20, 8 << 20] { free(malloc(size)) }
        // The first ones may find room between other memory of this process.
        let arrays = try (0..<512).map { _ in try #require(malloc(1 << 20)) }
        // The C library marks memory with a mapping of its own in the word before it, by the second bit.
        let mapped = arrays.count { ($0 - 8).load(as: UInt.self) & 2 != 0 }
        for array in arrays { free(array) }
        #expect(mapped > 256, "\(mapped) of \(arrays.count)")
    }
}
