/// The rows and columns of boxes, and the channels: columns between two layers for the vertical parts of lines.
struct BoxPositions {
    /// The columns of a layer's boxes, and of the labels between them and the next layer.
    struct Widths {
        var box: Int
        var label: Int
    }

    private let layers: BoxLayers
    /// By layer.
    let widths: [Widths]
    /// The first row of each node.
    private(set) var rows: [Int]
    /// The first column of each layer.
    private(set) var columns: [Int] = []
    /// By link, the number of earlier links with the same nodes.
    private let twins: [Int]
    /// By node, the channel of the lines that leave it.
    private var channels: [Int?]

    init(_ layers: BoxLayers, widths: [Widths]) {
        self.layers = layers
        self.widths = widths
        rows = Array(repeating: 0, count: layers.nodes.count)
        channels = Array(repeating: nil, count: layers.nodes.count)
        var known: [[Int]: Int] = [:]
        twins = layers.ways.map { way in
            defer { known[way.nodes, default: 0] += 1 }
            return known[way.nodes, default: 0]
        }
        placeRows()
        placeColumns()
    }

    func corners(of link: Int) -> [BoxCorner] {
        let way = layers.ways[link].nodes
        var corners: [BoxCorner] = []
        for (index, (node, next)) in zip(way, way.dropFirst()).enumerated() {
            let layer = layers.nodes[node].layer
            let start = columns[layer] + (layers.nodes[node].isBend ? 0 : widths[layer].box)
            let end = columns[layers.nodes[next].layer] - (layers.nodes[next].isBend ? 0 : 1)
            let channel = channels[node] ?? start
            let (out, into) = (rowOut(of: node), rowIn(of: link, at: index + 1))
            corners += [
                BoxCorner(column: start, row: out), BoxCorner(column: channel, row: out), BoxCorner(column: channel, row: into),
                BoxCorner(column: end, row: into),
            ]
        }
        return corners
    }

    // MARK: Rows

    private func rowOut(of node: Int) -> Int {
        rows[node] + (layers.nodes[node].isBend ? 0 : 2)
    }

    /// The row in which a link arrives at the node at index `index` of its path.
    private func rowIn(of link: Int, at index: Int) -> Int {
        let way = layers.ways[link].nodes
        return rows[way[index]] + 1 + 2 * port(of: link, from: way[index - 1], at: way[index])
    }

    /// Links between the same two nodes have adjacent ports, in the order of the links.
    private func port(of link: Int, from: Int, at node: Int) -> Int {
        layers.port(from: from, at: node) + twins[link]
    }

    private mutating func placeRows() {
        for layer in layers.layers {
            var row = 0
            for node in layer {
                rows[node] = row
                row += layers.height(of: node)
            }
        }
        for _ in 0..<2 {
            for layer in layers.layers.dropFirst() { align(layer, to: layer.map(wishesByThoseBefore)) }
            for layer in layers.layers.dropLast().reversed() { align(layer, to: layer.map(wishesByThoseBehind)) }
        }
        let top = rows.min() ?? 0
        for node in rows.indices { rows[node] -= top }
    }

    private func wishesByThoseBefore(_ node: Int) -> [Int] {
        zip(layers.nodes[node].before, layers.nodes[node].ports).map { rowOut(of: $0) - 1 - 2 * $1 }
    }

    private func wishesByThoseBehind(_ node: Int) -> [Int] {
        let offset = rowOut(of: node) - rows[node]
        return layers.nodes[node].after.map { next in rows[next] + 1 + 2 * layers.port(from: node, at: next) - offset }
    }

    /// Moves each node of a layer as near as possible to the mean of its preferred rows. Nodes that would overlap move together. This is
    /// the "pool adjacent violators" algorithm.
    private mutating func align(_ layer: [Int], to wishes: [[Int]]) {
        struct Pool {
            var sum: Double
            var count: Double
            var nodes: Int
        }
        var pools: [Pool] = []
        var offset = 0
        var offsets: [Int] = []
        for (node, wished) in zip(layer, wishes) {
            let wish = wished.isEmpty ? Double(rows[node]) : Double(wished.reduce(0, +)) / Double(wished.count)
            // A node without neighbours in that layer has little weight.
            let weight = wished.isEmpty ? 0.01 : Double(wished.count)
            pools.append(Pool(sum: (wish - Double(offset)) * weight, count: weight, nodes: 1))
            offsets.append(offset)
            offset += layers.height(of: node)
            while pools.count > 1,
                pools[pools.count - 2].sum / pools[pools.count - 2].count > pools[pools.count - 1].sum / pools[pools.count - 1].count
            {
                let last = pools.removeLast()
                pools[pools.count - 1].sum += last.sum
                pools[pools.count - 1].count += last.count
                pools[pools.count - 1].nodes += last.nodes
            }
        }
        var index = 0
        for pool in pools {
            let base = 2 * Int((pool.sum / pool.count / 2).rounded())
            for _ in 0..<pool.nodes {
                rows[layer[index]] = base + offsets[index]
                index += 1
            }
        }
    }

    // MARK: Columns

    private mutating func placeColumns() {
        var column = 0
        for (layer, width) in zip(layers.layers, widths) {
            columns.append(column)
            let nodes = layer.filter { !layers.nodes[$0].after.isEmpty }
            let count = assignChannels(nodes, from: column + width.box + 1)
            column += width.box + 1 + count + 1 + width.label + 1
        }
    }

    /// Gives each node the first channel whose rows are free. The lines of a bundle share one. Returns the number of channels.
    private mutating func assignChannels(_ nodes: [Int], from column: Int) -> Int {
        var ends: [[ClosedRange<Int>]] = []
        let trunks = Dictionary(grouping: nodes) { node in
            layers.nodes[node].after.first.flatMap { layers.nodes[$0].bundle.contains(node) ? $0 : nil } ?? -1 - node
        }
        let stretches = trunks.values.map { members -> (members: [Int], rows: ClosedRange<Int>) in
            let rows = members.map(stretch)
            return (members, (rows.map(\.lowerBound).min() ?? 0)...(rows.map(\.upperBound).max() ?? 0))
        }
        // Long vertical lines are further right, so that short lines need not cross them.
        func order(_ stretch: (members: [Int], rows: ClosedRange<Int>)) -> (Int, Int, Int) {
            (stretch.rows.count, stretch.rows.lowerBound, stretch.members[0])
        }
        for (members, rows) in stretches.sorted(by: { order($0) < order($1) }) {
            let free = ends.firstIndex { !$0.contains { $0.overlaps(rows) } }
            let index = free ?? ends.count
            if free == nil { ends.append([]) }
            ends[index].append(rows)
            for node in members { channels[node] = column + index }
        }
        return ends.count
    }

    /// The rows that the vertical parts of a node's lines span.
    private func stretch(of node: Int) -> ClosedRange<Int> {
        var (low, high) = (rowOut(of: node), rowOut(of: node))
        for next in Set(layers.nodes[node].after) {
            let count = layers.nodes[next].before.count { $0 == node }
            let first = layers.port(from: node, at: next)
            low = min(low, rows[next] + 1 + 2 * first)
            high = max(high, rows[next] + 1 + 2 * (first + count - 1))
        }
        return low...high
    }
}

package struct BoxCorner: Hashable, Sendable {
    package var column: Int
    package var row: Int

    package init(column: Int, row: Int) {
        self.column = column
        self.row = row
    }
}
