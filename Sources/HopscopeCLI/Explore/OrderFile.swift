import Foundation

/// A failing order in a text file, which can be kept beside a program and replayed.
struct OrderFile {
    var ending: String
    var seed: UInt64
    var earlyLimit: Int64
    var isRealTime: Bool
    var isFine: Bool
    var plan: [OrderDeviation]

    private static let title = "hopscope order 2"

    init(_ order: FailingOrder, _ settings: OrderSettings) {
        ending = order.ending.word
        seed = order.seed
        (earlyLimit, isRealTime, isFine) = (settings.earlyLimit, settings.isRealTime, settings.isFine)
        plan = order.plan
    }

    init(path: String) throws(UserError) {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw UserError("There is no file '\(path)' that you may read.", .noSuchFile)
        }
        let unreadable = UserError("'\(path)' is no order that this version of Hopscope can read.", .unreadable)
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        guard lines.first == Substring(Self.title) else { throw unreadable }
        (ending, seed, earlyLimit, isRealTime, isFine, plan) = ("", 0, 0, false, false, [])
        for line in lines.dropFirst() where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            guard let word = words.first else { continue }
            switch (word, words.count) {
            case ("failure", 2...3): ending = words.dropFirst().joined(separator: " ")
            case ("seed", 2):
                guard let number = UInt64(words[1]) else { throw unreadable }
                seed = number
            case ("early", 2):
                guard let number = Int64(words[1]) else { throw unreadable }
                earlyLimit = number
            case ("real-time", 1): isRealTime = true
            case ("fine", 1): isFine = true
            case ("choice", 4):
                let numbers = words.dropFirst().compactMap { UInt32($0) }
                guard numbers.count == 3 else { throw unreadable }
                plan.append(OrderDeviation(strand: numbers[0], point: numbers[1], next: numbers[2]))
            case _: throw unreadable
            }
        }
    }

    /// Writes the order beside the reader, as `PROGRAM.order`, or with a number if another order has that name. Returns the file's name.
    func save(for program: String, _ steps: [OrderStep]) throws(UserError) -> String {
        let text = text(steps)
        var (path, number) = ("\(program).order", 1)
        while let known = FileManager.default.contents(atPath: path), known != Data(text.utf8) {
            number += 1
            path = "\(program)-\(number).order"
        }
        let file = try ResultOutput(path)
        file.write(text)
        try file.finish()
        return path
    }

    func text(_ steps: [OrderStep]) -> String {
        var lines = [Self.title, "failure \(ending)", "seed \(seed)", "early \(earlyLimit)"]
        if isRealTime { lines.append("real-time") }
        if isFine { lines.append("fine") }
        lines.append("# choice STRAND POINT NEXT: at its nth point, the strand is followed by the next one")
        lines += steps.map { "# \($0.text)" }
        lines += plan.map { "choice \($0.strand) \($0.point) \($0.next)" }
        return lines.joined(separator: "\n") + "\n"
    }
}

extension OrderEnding {
    /// The ending that an order's file names.
    init?(word: String) {
        let words = word.split(separator: " ")
        if words.count == 2, words[0] == "finding" {
            self = .finding(rule: String(words[1]))
            return
        }
        switch (words.first, words.count > 1 ? Int32(words[1]) : nil) {
        case ("status", let status?): self = .exited(status)
        case ("signal", let signal?): self = .killed(signal)
        case ("deadlock", nil): self = .deadlock
        case ("hang", nil): self = .hang
        case _: return nil
        }
    }
}
