/// One cell of a canvas: a character, or the right half of the wide character before it, and a style. Eight bytes.
///
/// A canvas keeps characters of several scalars in a table, so only the cell's canvas can read it: `Canvas.scalars(of:)`.
/// A wide character's right half has its left half's style.
package struct Cell: Sendable {
    var content: CellContent
    package internal(set) var style: Style

    init(_ content: CellContent, _ style: Style) {
        self.content = content
        self.style = style
    }

    static let blank = Cell(.space, .text)

    /// Whether this is the right half of the wide character to its left.
    package var isContinuation: Bool { content == .continuation }
}

/// A cell's character in four bytes: a scalar's value, an index into the canvas's table of clusters, or the mark of a right half.
struct CellContent: Equatable, Sendable {
    private static let clusterBit: UInt32 = 1 << 31

    private let bits: UInt32

    private init(bits: UInt32) {
        self.bits = bits
    }

    init(_ scalar: Unicode.Scalar) {
        bits = scalar.value
    }

    init(ascii byte: UInt8) {
        bits = UInt32(byte)
    }

    init(cluster index: Int) {
        bits = Self.clusterBit | UInt32(index)
    }

    static let space = CellContent(" ")
    static let continuation = CellContent(bits: .max)

    var isASCII: Bool { bits < 0x80 }

    /// The scalar of a cell that holds exactly one.
    var scalar: Unicode.Scalar? { Unicode.Scalar(bits) }

    /// The character's index in the table of clusters, if it has several scalars.
    var cluster: Int? {
        bits & Self.clusterBit != 0 && self != .continuation ? Int(bits & ~Self.clusterBit) : nil
    }
}

/// A canvas's characters of several scalars, each stored once.
///
/// The text comes from the inspected program, so the table is bounded: past `capacity` clusters a new one shows as its first scalar, and
/// a cluster keeps its first `longest` scalars.
package struct ClusterTable: Sendable {
    static let capacity = 4096
    package static let longest = 16

    private var clusters: [String] = []
    private var indices: [String: Int] = [:]

    subscript(index: Int) -> String { clusters[index] }

    mutating func removeAll() {
        guard !clusters.isEmpty else { return }
        clusters.removeAll(keepingCapacity: true)
        indices.removeAll(keepingCapacity: true)
    }

    mutating func content(of scalars: some Collection<Unicode.Scalar>, first: Unicode.Scalar) -> CellContent {
        var cluster = ""
        cluster.unicodeScalars.append(contentsOf: scalars.prefix(Self.longest))
        if let index = indices[cluster] { return CellContent(cluster: index) }
        guard clusters.count < Self.capacity else { return CellContent(first) }
        indices[cluster] = clusters.count
        clusters.append(cluster)
        return CellContent(cluster: clusters.count - 1)
    }
}
