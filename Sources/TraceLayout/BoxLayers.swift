/// Nodes in layers, ordered for few crossings. A link over several layers has a bend in each layer in between.
struct BoxLayers {
    struct Node {
        var layer: Int
        var isBend: Bool
        /// The nodes of the previous layer, one entry per line.
        var before: [Int] = []
        /// The nodes of the previous layer whose lines arrive as one.
        var bundle: Set<Int> = []
        /// For each of `before`, the number of its row, from the top.
        var ports: [Int] = []
        /// The nodes of the next layer.
        var after: [Int] = []
        /// The index in its layer, from the top.
        var position = 0
    }

    /// The nodes along a link, from its first box through its bends to its last box.
    struct Way {
        var nodes: [Int]
        var isReversed: Bool
        /// Whether it is part of a bundle.
        var isBundled: Bool
    }

    /// The smallest number of lines in a bundle.
    private static let leastBundle = 3

    /// The least number of rows of a box, which is even.
    var leastHeight = 4
    private(set) var nodes: [Node]
    private(set) var layers: [[Int]] = []
    private(set) var ways: [Way] = []

    init(_ graph: BoxLinks) {
        nodes = (0..<graph.count).map { _ in Node(layer: 0, isBend: false) }
        let back = graph.backLinks()
        let links = graph.links.enumerated().map { back.contains($0) ? (from: $1.to, to: $1.from) : $1 }
        assignLayers(links)
        let bundled = Self.bundled(links, count: graph.count)
        var shared: [Bend: Int] = [:]
        var known: Set<Bend> = []
        for (index, link) in links.enumerated() {
            var way = [link.from]
            for layer in nodes[link.from].layer + 1..<max(nodes[link.from].layer + 1, nodes[link.to].layer) {
                let bend = Bend(end: link.to, layer: layer)
                let node = bundled[index] ? shared[bend] ?? nodes.count : nodes.count
                if node == nodes.count { nodes.append(Node(layer: layer, isBend: true)) }
                if bundled[index] { shared[bend] = node }
                way.append(node)
            }
            way.append(link.to)
            for (one, next) in zip(way, way.dropFirst()) {
                // Beyond a bend that the bundle shares, its line exists already.
                if bundled[index], nodes[one].isBend, !known.insert(Bend(end: link.to, layer: nodes[one].layer)).inserted { break }
                nodes[one].after.append(next)
                nodes[next].before.append(one)
                if bundled[index] { nodes[next].bundle.insert(one) }
            }
            ways.append(Way(nodes: way, isReversed: back.contains(index), isBundled: bundled[index]))
        }
        layers = Array(repeating: [], count: (nodes.map(\.layer).max() ?? -1) + 1)
        for (index, node) in nodes.enumerated() { layers[node.layer].append(index) }
        number()
    }

    /// A bend of a bundle: the box that the bundle leads to, and the bend's layer.
    private struct Bend: Hashable {
        var end: Int
        var layer: Int
    }

    /// For each link, whether it is part of a bundle.
    private static func bundled(_ links: [(from: Int, to: Int)], count: Int) -> [Bool] {
        var leaving = [Int](repeating: 0, count: count)
        for link in links { leaving[link.from] += 1 }
        var arriving = [Int](repeating: 0, count: count)
        for link in links where leaving[link.from] == 1 { arriving[link.to] += 1 }
        return links.map { leaving[$0.from] == 1 && arriving[$0.to] >= leastBundle }
    }

    /// The number of rows of a node, which is even. Each arriving line or bundle has a row of its own.
    func height(of node: Int) -> Int {
        nodes[node].isBend ? 2 : max(leastHeight, 2 * (nodes[node].ports.max() ?? 0) + 4)
    }

    /// The port of the first line from one node to another.
    func port(from node: Int, at next: Int) -> Int {
        nodes[next].before.firstIndex(of: node).map { nodes[next].ports[$0] } ?? 0
    }

    // MARK: Layers

    /// Puts each node one layer behind its last predecessor, and a node without predecessors directly before its first successor.
    private mutating func assignLayers(_ links: [(from: Int, to: Int)]) {
        var outgoing = [[Int]](repeating: [], count: nodes.count)
        var waiting = [Int](repeating: 0, count: nodes.count)
        for link in links {
            outgoing[link.from].append(link.to)
            waiting[link.to] += 1
        }
        let isBeginning = waiting.map { $0 == 0 }
        var order = waiting.indices.filter { isBeginning[$0] }
        var next = 0
        while next < order.count {
            for node in outgoing[order[next]] {
                nodes[node].layer = max(nodes[node].layer, nodes[order[next]].layer + 1)
                waiting[node] -= 1
                if waiting[node] == 0 { order.append(node) }
            }
            next += 1
        }
        for node in nodes.indices where isBeginning[node] {
            if let nearest = outgoing[node].map({ nodes[$0].layer }).min() { nodes[node].layer = nearest - 1 }
        }
        let first = nodes.map(\.layer).min() ?? 0
        for node in nodes.indices { nodes[node].layer -= first }
    }

    // MARK: Order

    /// Sorts each layer by the means of its nodes' neighbours, in alternating directions, and keeps the order with the fewest crossings.
    mutating func sort() {
        var best = layers
        var fewest = crossings()
        for round in 0..<8 where fewest > 0 {
            if round % 2 == 0 {
                for layer in layers.indices.dropFirst() { sort(layer, byThoseBefore: true) }
            } else {
                for layer in layers.indices.dropLast().reversed() { sort(layer, byThoseBefore: false) }
            }
            let count = crossings()
            if count < fewest {
                fewest = count
                best = layers
            }
        }
        layers = best
        number()
        // Lines arrive in the order of their source boxes.
        let positions = nodes.map(\.position)
        for node in nodes.indices {
            nodes[node].before.sort { (positions[$0], $0) < (positions[$1], $1) }
            assignPorts(of: node)
        }
    }

    /// Numbers the rows of the arriving lines from the top. A bundle arrives where its middle line would.
    private mutating func assignPorts(of node: Int) {
        let (before, bundle) = (nodes[node].before, nodes[node].bundle)
        let members = before.indices.filter { bundle.contains(before[$0]) }
        let middle = members.isEmpty ? nil : members[members.count / 2]
        var next = 0
        var port: Int?
        nodes[node].ports = before.indices.map { index in
            guard bundle.contains(before[index]) else {
                defer { next += 1 }
                return next
            }
            if index == middle {
                port = next
                next += 1
            }
            return -1
        }
        if let port { for index in members { nodes[node].ports[index] = port } }
    }

    private mutating func sort(_ layer: Int, byThoseBefore isForward: Bool) {
        let middles = layers[layer].map { node -> Double in
            let positions = (isForward ? nodes[node].before : nodes[node].after).map { nodes[$0].position }
            guard !positions.isEmpty else { return Double(nodes[node].position) }
            return Double(positions.reduce(0, +)) / Double(positions.count)
        }
        layers[layer] = layers[layer].indices.sorted { (middles[$0], $0) < (middles[$1], $1) }.map { layers[layer][$0] }
        number(layer)
    }

    private mutating func number() {
        for layer in layers.indices { number(layer) }
    }

    private mutating func number(_ layer: Int) {
        for (position, node) in layers[layer].enumerated() { nodes[node].position = position }
    }

    private func crossings() -> Int {
        layers.dropLast().reduce(0) { sum, layer in
            // With the lines sorted by their starts, each inversion of their ends is a crossing.
            let ends = layer.flatMap { nodes[$0].after.map { nodes[$0].position }.sorted() }
            return sum + Self.inversions(ends)
        }
    }

    private static func inversions(_ numbers: [Int]) -> Int {
        guard numbers.count > 1 else { return 0 }
        let middle = numbers.count / 2
        var (left, right) = (Array(numbers[..<middle]), Array(numbers[middle...]))
        var count = inversions(left) + inversions(right)
        left.sort()
        right.sort()
        var next = 0
        for number in left {
            while next < right.count, right[next] < number { next += 1 }
            count += next
        }
        return count
    }
}

/// The links between numbered nodes.
struct BoxLinks {
    var count: Int
    private(set) var links: [(from: Int, to: Int)] = []

    mutating func add(from: Int, to: Int) {
        links.append((from, to))
    }

    /// The links that close a cycle in a depth-first search.
    func backLinks() -> Set<Int> {
        var outgoing = [[Int]](repeating: [], count: count)
        for (index, link) in links.enumerated() { outgoing[link.from].append(index) }
        enum Visit { case not, on, done }
        var visits = [Visit](repeating: .not, count: count)
        var back: Set<Int> = []
        for start in 0..<count where visits[start] == .not {
            var stack = [(node: start, next: 0)]
            visits[start] = .on
            while let (node, next) = stack.last {
                guard next < outgoing[node].count else {
                    visits[node] = .done
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].next += 1
                let link = outgoing[node][next]
                switch visits[links[link].to] {
                case .on: back.insert(link)
                case .not:
                    visits[links[link].to] = .on
                    stack.append((links[link].to, 0))
                case .done: break
                }
            }
        }
        return back
    }
}
