/// The parameters of a tool whose answer is a page of a list.
enum PageParameters {
    static let mostRows = 50

    static let all = [
        ToolParameter(name: "limit", kind: .number(1...mostRows), meaning: "How many rows at most; an answer has room for few."),
        ToolParameter(name: "offset", kind: .number(0...1_000_000_000), meaning: "How many rows to skip, as an answer's 'more' says."),
    ]
}

extension ToolArguments {
    /// The largest number of rows that the agent wants.
    func limit(_ usual: Int = 20) -> Int { number("limit") ?? usual }
    var offset: Int { number("offset") ?? 0 }
}
