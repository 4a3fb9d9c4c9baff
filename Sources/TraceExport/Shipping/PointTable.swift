/// One value of a metric.
package struct ShippedPoint: Sendable {
    package enum Value: Hashable, Sendable {
        case count(Int)
        case seconds(Double)
        case histogram(ShippedHistogram)
    }

    package let metric: ShippedMetric
    package let key: SeriesKey
    package var value: Value

    package init(metric: ShippedMetric, key: SeriesKey, value: Value) {
        self.metric = metric
        self.key = key
        self.value = value
    }
}

/// The points of one batch. Values of series that the limiter joins are added up.
struct PointTable {
    private(set) var limiter: SeriesLimiter
    private var values: [ShippedMetric: [SeriesKey: ShippedPoint.Value]] = [:]

    init(limiter: SeriesLimiter) {
        self.limiter = limiter
    }

    /// `attributes` are the values of the metric's attributes, in their order.
    mutating func add(_ metric: ShippedMetric, _ attributes: [String], _ count: Int) {
        let key = key(of: metric, attributes)
        guard case .count(let before) = values[metric, default: [:]][key, default: .count(0)] else { return }
        values[metric, default: [:]][key] = .count(before + count)
    }

    mutating func add(_ metric: ShippedMetric, _ attributes: [String], _ histogram: ShippedHistogram) {
        let key = key(of: metric, attributes)
        guard case .histogram(var sum) = values[metric, default: [:]][key, default: .histogram(ShippedHistogram())] else { return }
        sum.add(histogram)
        values[metric, default: [:]][key] = .histogram(sum)
    }

    private mutating func key(of metric: ShippedMetric, _ attributes: [String]) -> SeriesKey {
        SeriesKey(zip(metric.row.attributes, attributes).map { limiter.value($1, of: $0) })
    }

    /// All points, by metric and by attributes.
    var points: [ShippedPoint] {
        ShippedMetric.allCases.flatMap { metric in
            (values[metric] ?? [:]).sorted { $0.key.order.lexicographicallyPrecedes($1.key.order) }
                .map { ShippedPoint(metric: metric, key: $0.key, value: $0.value) }
        }
    }
}

extension SeriesKey {
    /// Overflow comes last.
    fileprivate var order: [String] { values.map { $0 ?? "\u{10FFFF}" } }
}
