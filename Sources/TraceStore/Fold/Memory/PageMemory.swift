import Glibc

/// The memory of all pages of the tables that may share pages, each page counted once.
///
/// Pages are mapped one by one, so that a freed page is the system's again. Between other memory, the freed pages of keyframes stayed with
/// the process: it grew for as long as the trace went on.
final class PageMemory {
    /// The size of all pages with their headers.
    private(set) var bytes = 0

    /// - Parameter isPopulated: whether all of the page is used soon. One call gives its memory then, instead of a fault every 4 KiB.
    func map(_ size: Int, isPopulated: Bool) -> UnsafeMutableRawPointer {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | (isPopulated ? MAP_POPULATE : 0)
        let page = mmap(nil, size, PROT_READ | PROT_WRITE, flags, -1, 0)
        guard let page, page != MAP_FAILED else { preconditionFailure("no memory for a page of \(size) bytes beside \(bytes)") }
        bytes += size
        return page
    }

    func unmap(_ page: UnsafeMutableRawPointer, _ size: Int) {
        munmap(page, size)
        bytes -= size
    }
}
