/// Counts in words: `1,204`, `1 task`, `31 tasks`, `no tasks`.
package enum CountText {
    /// With a comma between thousands, in every locale.
    package static func text(_ count: some BinaryInteger) -> String {
        let digits = String(count.magnitude)
        var text = count < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }

    /// The count with its noun. The plural adds an s unless `plural` is given.
    package static func text(_ count: some BinaryInteger, _ noun: String, plural: String? = nil) -> String {
        if count == 0 { return "no \(plural ?? noun + "s")" }
        return "\(text(count)) \(count == 1 ? noun : plural ?? noun + "s")"
    }
}
