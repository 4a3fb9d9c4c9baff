/// What one place of a canvas shows: a character, or the right half of the wide one before it, and a style. Eight bytes.
///
/// A character of several scalars is kept in its canvas' table, so a cell can only be read by the canvas it is in: `Canvas.scalars(of:)`.
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

/// A cell's character in four bytes: a scalar's value, a place in the canvas' table of clusters, or the mark of a right half.
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

    /// The scalar, where the cell holds a single one.
    var scalar: Unicode.Scalar? { Unicode.Scalar(bits) }

    /// The place in the table of clusters, where the cell's character is there.
    var cluster: Int? {
        bits & Self.clusterBit != 0 && self != .continuation ? Int(bits & ~Self.clusterBit) : nil
    }

    /// The columns that a canvas gives to a character of program text.
    static func width(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        return switch scalars[scalars.startIndex].screening {
        case .keep: CharacterWidth.of(cluster: scalars)
        case .space: 1
        case .drop: 0
        }
    }
}

/// The characters of several scalars that a canvas holds, each once.
///
/// Bounded in both directions, as the text comes from the inspected program: past `capacity` clusters a new one is shown as its first scalar, and of a
/// cluster's scalars the first `longest` are kept.
struct ClusterTable: Sendable {
    static let capacity = 4096
    static let longest = 16

    private var clusters: [String] = []
    private var places: [String: Int] = [:]

    subscript(index: Int) -> String { clusters[index] }

    mutating func removeAll() {
        guard !clusters.isEmpty else { return }
        clusters.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    mutating func content(of scalars: some Collection<Unicode.Scalar>, first: Unicode.Scalar) -> CellContent {
        var cluster = ""
        cluster.unicodeScalars.append(contentsOf: scalars.prefix(Self.longest))
        if let place = places[cluster] { return CellContent(cluster: place) }
        guard clusters.count < Self.capacity else { return CellContent(first) }
        places[cluster] = clusters.count
        clusters.append(cluster)
        return CellContent(cluster: clusters.count - 1)
    }
}
