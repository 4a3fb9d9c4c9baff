import TaskEvents

/// A link between two tasks.
package struct BoxEdge: Hashable, Sendable {
    package var from: TaskID
    package var to: TaskID
    package var kind: RailKind
}

/// A task's box. Rows and columns count from the top left of the picture.
package struct Box: Hashable, Sendable {
    package var task: TaskID
    /// All tasks that the box stands for; the first one is `task`.
    package var members: [TaskID]
    package var layer: Int
    package var column: Int
    package var row: Int
    package var columns: Int
    package var rows: Int
}

/// A link's line from its left box to its right box. It has only right angles.
package struct BoxWire: Hashable, Sendable {
    package var edge: BoxEdge
    package var left: Int
    package var right: Int
    /// Wires of the same net may share cells: all that leave one box, or all of a bundle, which lead to one box.
    package var net: Int
    /// Whether the link leads from the right box to the left one. Only links of a cycle are reversed.
    package var isReversed: Bool
    /// The corners from the column after the left box to the column before the right box.
    package var corners: [BoxCorner]
}

/// Chains as boxes from left to right: a continuation is to the right of its antecedent.
///
/// The layout is Sugiyama's: layers by the longest path, an order within each layer with few crossings, then coordinates. Lines leave boxes
/// in even rows and arrive in odd rows, and every arriving line or bundle has a row of its own. Three or more lines to one box are a bundle
/// if they are the only ones that leave their boxes. Two lines therefore share cells only if they leave the same box, or if they lead to
/// the same box and nowhere else. Source: Sugiyama, Tagawa, Toda, "Methods for Visual Understanding of Hierarchical System Structures",
/// 1981.
package struct Boxes: Sendable {
    /// The sizes that depend on the zoom.
    package struct Style: Hashable, Sendable {
        package var boxColumns: Int
        /// Columns of line before each box, reserved for a label.
        package var labelColumns: Int
        /// The least number of rows of a box. It is even.
        package var boxRows: Int

        package init(boxColumns: Int = 24, labelColumns: Int = 2, boxRows: Int = 4) {
            self.boxColumns = boxColumns
            self.labelColumns = labelColumns
            self.boxRows = boxRows
        }
    }

    /// The columns that the texts of a picture need.
    package struct Needs: Sendable {
        /// By the first task of a box, with the frame.
        package var boxes: [TaskID: Int]
        package var labels: [BoxEdge: Int]

        package init(boxes: [TaskID: Int], labels: [BoxEdge: Int]) {
            self.boxes = boxes
            self.labels = labels
        }
    }

    package private(set) var boxes: [Box] = []
    package private(set) var wires: [BoxWire] = []
    /// Links from a task to itself. They have no line.
    package private(set) var loops: [BoxEdge] = []
    package private(set) var columns = 0
    package private(set) var rows = 0
    /// The least number of rows of a box.
    package var boxRows: Int { layers.leastHeight }
    private var indices: [TaskID: Int] = [:]
    private var layers = BoxLayers(BoxLinks(count: 0))

    package init() {}

    /// The boxes of `tasks` with all links between them.
    ///
    /// - Parameter folds: groups of tasks that share a box each.
    package init(_ tasks: [TaskID], in graph: some RailGraph, folds: [[TaskID]] = [], style: Style = Style()) {
        let firsts = Dictionary(folds.flatMap { fold in fold.map { ($0, fold[0]) } }) { first, _ in first }
        var order: [TaskID] = []
        var members: [[TaskID]] = []
        for task in tasks where indices[task] == nil {
            if let first = firsts[task], let index = indices[first] {
                indices[task] = index
                members[index].append(task)
            } else {
                indices[task] = order.count
                order.append(task)
                members.append([task])
            }
        }
        var links = BoxLinks(count: order.count)
        var edges: [BoxEdge] = []
        var known: Set<BoxEdge> = []
        for task in tasks {
            graph.forEachSuccessor(of: task) { successor, kind in
                guard let from = indices[task], let to = indices[successor] else { return }
                let edge = BoxEdge(from: order[from], to: order[to], kind: kind)
                guard known.insert(edge).inserted else { return }
                if from == to {
                    loops.append(edge)
                } else {
                    edges.append(edge)
                    links.add(from: from, to: to)
                }
            }
        }
        layers = BoxLayers(links)
        layers.sort()
        boxes = order.indices.map { index in
            Box(task: order[index], members: members[index], layer: layers.nodes[index].layer, column: 0, row: 0, columns: 0, rows: 0)
        }
        wires = edges.indices.map { index in
            let way = layers.ways[index]
            return BoxWire(
                edge: edges[index], left: way.nodes[0], right: way.nodes[way.nodes.count - 1],
                net: way.isBundled ? order.count + way.nodes[way.nodes.count - 1] : way.nodes[0], isReversed: way.isReversed, corners: [])
        }
        place(style, nil)
    }

    /// The same boxes in other sizes. The layers and the order in them stay, so this costs less than a new layout.
    ///
    /// - Parameter needs: if given, the boxes of a layer and the labels before it have no more room than their texts need, and at most that
    ///   of the style. Otherwise each has the room of the style.
    package func placed(_ style: Style, needs: Needs? = nil) -> Boxes {
        var boxes = self
        boxes.place(style, needs)
        return boxes
    }

    private mutating func place(_ style: Style, _ needs: Needs?) {
        layers.leastHeight = style.boxRows
        let positions = BoxPositions(layers, widths: widths(style, needs))
        for index in boxes.indices {
            let layer = boxes[index].layer
            (boxes[index].column, boxes[index].row) = (positions.columns[layer], positions.rows[index])
            (boxes[index].columns, boxes[index].rows) = (positions.widths[layer].box, layers.height(of: index))
        }
        for index in wires.indices { wires[index].corners = positions.corners(of: index) }
        columns = (boxes.map { $0.column + $0.columns }.max() ?? 0) + 1
        rows = max(boxes.map { $0.row + $0.rows }.max() ?? 0, (wires.flatMap(\.corners).map(\.row).max() ?? 0) + 1)
    }

    /// The widths of each layer.
    private func widths(_ style: Style, _ needs: Needs?) -> [BoxPositions.Widths] {
        let most = BoxPositions.Widths(box: style.boxColumns, label: style.labelColumns)
        guard let needs else { return Array(repeating: most, count: layers.layers.count) }
        var widths = Array(repeating: BoxPositions.Widths(box: 0, label: 0), count: layers.layers.count)
        for box in boxes {
            widths[box.layer].box = max(widths[box.layer].box, min(most.box, needs.boxes[box.task] ?? most.box))
        }
        for wire in wires {
            // A wire leads to the right, so there is a layer before that of its right box.
            let before = boxes[wire.right].layer - 1
            widths[before].label = max(widths[before].label, min(most.label, needs.labels[wire.edge] ?? 0))
        }
        return widths
    }

    package func index(of task: TaskID) -> Int? { indices[task] }
}
