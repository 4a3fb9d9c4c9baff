import Foundation
import Testing
import TraceTestKit

@testable import HopscopeCLI

/// The protocol of `hopscope mcp`: requests, notifications, errors, and lines that are no messages.
@Suite(.timeLimit(.minutes(2)))
struct AgentProtocolTests {
    private struct EchoTool: AgentTool {
        let name = "echo"
        let title = "Echo"
        let use = "Says a text again."
        let parameters = [
            ToolParameter(name: "text", kind: .text, meaning: "What to say.", isRequired: true),
            ToolParameter(name: "times", kind: .number(1...3), meaning: "How often."),
        ]

        func answer(_ arguments: ToolArguments, _ call: ToolCall) throws -> AgentAnswer {
            AgentAnswer([.init(key: "said", value: .string(arguments.text("text") ?? ""))])
        }
    }

    private let server = AgentProtocol([EchoTool()], version: "1.2.3")

    private func answer(_ line: String) throws -> JSONObject? {
        try server.answer(to: .message(Array(line.utf8)), ToolCall()).map { text in
            #expect(!text.contains("\n"))
            return try JSONObject(text)
        }
    }

    private func request(_ method: String, _ parameters: String = "{}", id: String = "7") throws -> JSONObject {
        try #require(try answer(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(parameters)}"#))
    }

    @Test("The client's version is spoken if it is known, else the latest with a handshake")
    func negotiates() throws {
        for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
            let result = try request("initialize", #"{"protocolVersion":"\#(version)","capabilities":{}}"#).object("result")
            #expect(result.text("protocolVersion") == version)
            #expect(result.object("serverInfo").text("version") == "1.2.3")
            #expect(result.object("capabilities").fields["tools"] != nil && result.text("instructions") != nil)
        }
        let later = try request("initialize", #"{"protocolVersion":"2099-01-01"}"#)
        #expect(later.object("result").text("protocolVersion") == "2025-11-25")
        #expect(try request("initialize").object("error").number("code") == -32602)
    }

    @Test("The revision without a handshake: discovery, its version in each request, and the result's type")
    func servesStateless() throws {
        let meta = #"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}"#
        let found = try request("server/discover", meta).object("result")
        #expect((found.fields["supportedVersions"] as? [String])?.contains("2026-07-28") == true)
        let list = try request("tools/list", meta).object("result")
        #expect(list.text("resultType") == "complete" && list.text("cacheScope") == "private" && list.number("ttlMs") == 0)
        #expect(try request("tools/list").object("result").fields.keys.sorted() == ["tools"])
        let other = try request("ping", #"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2030-01-01"}}"#).object("error")
        #expect(other.number("code") == -32022 && other.object("data").text("requested") == "2030-01-01")
    }

    @Test("Ping has an empty result, and an id comes back as it was")
    func pings() throws {
        #expect(try request("ping", id: "\"a b\"").text("id") == "a b")
        #expect(try request("ping", id: "42").number("id") == 42)
        #expect(try request("ping").object("result").fields.isEmpty)
    }

    @Test("The list has each tool with its schema")
    func lists() throws {
        let tool = try #require(try request("tools/list").object("result").list("tools").first)
        let schema = tool.object("inputSchema")
        #expect(tool.text("name") == "echo" && tool.text("description") == "Says a text again.")
        #expect(schema.text("type") == "object" && schema.fields["required"] as? [String] == ["text"])
        #expect(schema.object("properties").object("times").number("maximum") == 3)
        #expect(tool.object("annotations").number("readOnlyHint") == 1)
    }

    @Test("A tool answers; arguments that it does not take are its own failure, which the agent can correct")
    func calls() throws {
        let said = try request("tools/call", #"{"name":"echo","arguments":{"text":"hello","times":null}}"#).object("result")
        let text = try #require(said.list("content").first?.text("text"))
        let answer = try JSONObject(text)
        #expect(said.number("isError") == 0 && answer.object("observed").text("said") == "hello")
        for arguments in [#"{}"#, #"{"text":1}"#, #"{"text":"a","times":4}"#, #"{"text":"a","times":"1"}"#, #"{"text":"a","more":1}"#] {
            let failed = try request("tools/call", #"{"name":"echo","arguments":\#(arguments)}"#).object("result")
            let answer = try JSONObject(try #require(failed.list("content").first?.text("text")))
            #expect(failed.number("isError") == 1 && answer.number("status") == 64, "\(arguments)")
            #expect(answer.object("observed").text("problem")?.contains("echo") == true)
        }
    }

    @Test(
        "Errors of the protocol have their codes",
        arguments: [
            ("{", -32700), ("nul", -32700), ("[1,2", -32700), ("{\"a\":1}x", -32700), ("\u{0}", -32700),
            (String(repeating: "[", count: 100_000), -32700),
            (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"# + String(repeating: "[", count: 600), -32700),
            ("[]", -32600), ("1", -32600), ("\"text\"", -32600), ("{}", -32600), (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600), (#"{"jsonrpc":"2.0","id":[],"method":"ping"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32600), (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, -32600),
            (#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#, -32601), (#"{"jsonrpc":"2.0","id":1,"method":""}"#, -32601),
            (#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, -32602),
            (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}"#, -32602),
            (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":[]}}"#, -32602),
            (#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}"#, -32602),
        ])
    func refuses(line: String, code: Int) throws {
        let error = try #require(try answer(line))
        #expect(error.object("error").number("code") == code && error.fields["result"] == nil)
        #expect(error.fields["id"] != nil)
    }

    @Test("A line that is not UTF-8 is no JSON, and one that is too long is no request")
    func refusesBytes() throws {
        let broken = try #require(server.answer(to: .message([0x22, 0xFF, 0xFE, 0x22]), ToolCall()))
        #expect(try JSONObject(broken).object("error").number("code") == -32700)
        let long = try #require(server.answer(to: .tooLong, ToolCall()))
        #expect(try JSONObject(long).object("error").number("code") == -32600)
    }

    @Test("Notifications, and answers to questions that were never asked, have no answer")
    func keepsSilent() throws {
        #expect(try answer(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#) == nil)
        #expect(try answer(#"{"jsonrpc":"2.0","method":"no/such"}"#) == nil)
        #expect(try answer(#"{"jsonrpc":"2.0","id":1,"result":{}}"#) == nil)
        #expect(try answer(#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}"#) == nil)
    }

    @Test(
        "Values come through as they are: numbers, blanks, escapes and characters beyond ASCII",
        arguments: [
            #"{"a":[1,-2,3.5,true,false,null,"ä€\ud83d\ude00\n\"\\"],"b":{"c":{}}}"#, #"[9223372036854775807,-9223372036854775808,1e300]"#,
        ])
    func copies(text: String) throws {
        let value = try JSONValue(parsing: Array(text.utf8))
        #expect(try JSONValue(parsing: Array(value.encoded.utf8)) == value)
        let (one, other) = (
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? NSObject,
            try JSONSerialization.jsonObject(with: Data(value.encoded.utf8)) as? NSObject
        )
        #expect(one != nil && one == other)
    }
}
