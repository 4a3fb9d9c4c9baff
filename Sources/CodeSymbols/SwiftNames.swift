import Foundation

/// What linkers call functions, and what people do.
enum SwiftNames {
    /// Whether a function is Swift's own: its library, its runtime, or C beneath it.
    static func isMachinery(linkage name: String) -> Bool {
        if name == "main" { return false }
        // A function of the standard library, or of what `_Concurrency` adds to it.
        return !name.hasPrefix("$s") || name.hasPrefix("$ss") || name.hasPrefix("$sSc")
    }

    /// Names as they are written, by the names that linkers use; those that cannot be told are left out.
    static func readable(_ names: Set<String>, by tool: SymbolTool?) -> [String: String] {
        let mangled = names.filter { $0.hasPrefix("$s") }.sorted()
        guard let tool, !mangled.isEmpty,
            let answer = tool.answer(mangled.joined(separator: "\n") + "\n", ["--simplified", "--compact"])
        else { return [:] }
        let lines = answer.split(separator: "\n", omittingEmptySubsequences: false)
        return Dictionary(zip(mangled, lines.map { plain(String($0)) }), uniquingKeysWith: { first, _ in first })
    }

    /// Without the words that tell how the compiler came to the function.
    private static func plain(_ name: String) -> String {
        var name = name
        for word in ["specialized ", "partial apply for ", "partial apply forwarder for "] where name.hasPrefix(word) {
            name.removeFirst(word.count)
        }
        return name.replacingOccurrences(of: ".__allocating_init(", with: ".init(")
    }

    /// A thunk stands between two functions and is neither.
    static func isThunk(_ readable: String) -> Bool {
        readable.hasPrefix("thunk for ") || readable.hasPrefix("reabstraction thunk") || readable.hasPrefix("async function pointer")
    }
}
