/// A question that an agent can ask. Each tool is a file of `Agent/Tools`; ``AgentTools`` lists them.
protocol AgentTool {
    var name: String { get }
    var title: String { get }
    /// When to use it, and what it answers.
    var use: String { get }
    var parameters: [ToolParameter] { get }
    /// Whether it only looks.
    var isReadOnly: Bool { get }

    /// Throws a ``UserError`` if it has no answer; the agent gets its sentence.
    func answer(_ arguments: ToolArguments, _ call: ToolCall) throws -> AgentAnswer
}

extension AgentTool {
    var isReadOnly: Bool { true }

    /// The tool's entry in the list of tools.
    var listed: JSONValue {
        let required = parameters.filter(\.isRequired).map { JSONValue.string($0.name) }
        return [
            "name": .string(name), "title": .string(title), "description": .string(use),
            "inputSchema": [
                "type": "object", "properties": .object(parameters.map { .init(key: $0.name, value: $0.schema) }),
                "required": .array(required), "additionalProperties": false,
            ],
            "annotations": [
                "readOnlyHint": .bool(isReadOnly), "destructiveHint": .bool(!isReadOnly), "openWorldHint": .bool(!isReadOnly),
            ],
        ]
    }
}

/// A parameter of a tool.
struct ToolParameter {
    enum Kind {
        case text
        case number(ClosedRange<Int>)
        case texts
    }

    let name: String
    let kind: Kind
    let meaning: String
    var isRequired = false

    fileprivate var schema: JSONValue {
        switch kind {
        case .text: ["type": "string", "description": .string(meaning)]
        case .number(let range) where range.upperBound == .max:
            ["type": "integer", "minimum": .integer(range.lowerBound), "description": .string(meaning)]
        case .number(let range):
            [
                "type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound),
                "description": .string(meaning),
            ]
        case .texts: ["type": "array", "items": ["type": "string"], "description": .string(meaning)]
        }
    }
}

/// The arguments of a call, which have the kinds of the tool's parameters.
struct ToolArguments {
    private let fields: [JSONValue.Field]

    /// Throws for an unknown argument, a missing one, and one of another kind.
    init(_ fields: [JSONValue.Field], of tool: some AgentTool) throws(UserError) {
        for field in fields {
            guard let parameter = tool.parameters.first(where: { $0.name == field.key }) else {
                let names = tool.parameters.map(\.name).joined(separator: ", ")
                throw UserError("'\(tool.name)' has no argument '\(field.key.prefix(100))'; it has \(names).", .wrongUsage)
            }
            guard field.value == .null || parameter.accepts(field.value) else {
                throw UserError("The argument '\(parameter.name)' of '\(tool.name)' is \(parameter.words).", .wrongUsage)
            }
        }
        self.fields = fields.filter { $0.value != .null }
        for parameter in tool.parameters where parameter.isRequired && self[parameter.name] == nil {
            throw UserError("'\(tool.name)' needs the argument '\(parameter.name)': \(parameter.meaning)", .wrongUsage)
        }
    }

    private subscript(name: String) -> JSONValue? { fields.first { $0.key == name }?.value }

    /// Nil for a missing argument, and for an empty text.
    func text(_ name: String) -> String? {
        guard let text = self[name]?.text, !text.isEmpty else { return nil }
        return text
    }

    func number(_ name: String) -> Int? {
        if case .integer(let number) = self[name] { number } else { nil }
    }

    func texts(_ name: String) -> [String] {
        if case .array(let elements) = self[name] { elements.compactMap(\.text) } else { [] }
    }
}

extension ToolParameter {
    fileprivate func accepts(_ value: JSONValue) -> Bool {
        switch (kind, value) {
        case (.text, .string(let text)): !text.utf8.contains(0)
        case (.number(let range), .integer(let number)): range.contains(number)
        case (.texts, .array(let elements)): elements.allSatisfy { $0.text.map { !$0.utf8.contains(0) } ?? false }
        case _: false
        }
    }

    fileprivate var words: String {
        switch kind {
        case .text: "a text"
        case .number(let range) where range.upperBound == .max: "a whole number from \(range.lowerBound) on"
        case .number(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .texts: "a list of texts"
        }
    }
}
