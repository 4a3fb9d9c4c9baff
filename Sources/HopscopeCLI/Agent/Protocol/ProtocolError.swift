/// An error of the protocol itself. A tool that fails gives a result instead, so that the agent can correct its call.
struct ProtocolError: Error {
    enum Code: Int {
        case parseError = -32700
        case invalidRequest = -32600
        case methodNotFound = -32601
        case invalidParameters = -32602
        case unsupportedVersion = -32022
    }

    let code: Code
    let message: String
    var data: JSONValue?

    init(_ code: Code, _ message: String, data: JSONValue? = nil) {
        (self.code, self.message, self.data) = (code, message, data)
    }

    var value: JSONValue {
        let fields: [JSONValue.Field?] = [
            JSONValue.Field(key: "code", value: .integer(code.rawValue)), JSONValue.Field(key: "message", value: .string(message)),
            data.map { JSONValue.Field(key: "data", value: $0) },
        ]
        return .object(fields.compactMap(\.self))
    }
}
