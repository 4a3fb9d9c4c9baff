import Foundation
import TaskEvents

/// Finds the functions, files and lines of places in code with the toolchain's `llvm-symbolizer` and `swift-demangle`.
///
/// Finds nothing if they are missing. Each call runs each tool once for all its places. Any thread may call it.
package struct Symbolizer: Sendable {
    private let symbolizer: SymbolTool?
    private let demangler: SymbolTool?

    package init() {
        symbolizer = SymbolTool("llvm-symbolizer")
        demangler = SymbolTool("swift-demangle")
    }

    /// The symbols of `places`. An unknown place has an empty name, so that it is not looked up again.
    package func symbols(of places: Set<CodePlace>) -> [CodePlace: CodeSymbol] {
        let places = places.filter { !$0.module.contains("\"") && !$0.module.contains("\n") }
        var symbols = Dictionary(uniqueKeysWithValues: places.map { ($0, CodeSymbol(function: "", isMachinery: true)) })
        guard let symbolizer, !places.isEmpty else { return symbols }
        let asked = Array(places)
        let question = asked.map { "\"\($0.module)\" 0x\(String($0.offset, radix: 16))\n" }.joined()
        guard let answer = symbolizer.answer(question, ["--no-demangle", "--functions=linkage", "--inlines"]) else { return symbols }
        let found = answer.components(separatedBy: "\n\n").map(RawFrame.frames(in:))
        let names = SwiftNames.readable(Set(found.joined().map(\.function)), by: demangler)
        for (place, frames) in zip(asked, found) {
            if let symbol = Self.symbol(of: frames, names) { symbols[place] = symbol }
        }
        return symbols
    }

    /// The innermost function, inlined or not, that is not Swift's own.
    private static func symbol(of frames: [RawFrame], _ names: [String: String]) -> CodeSymbol? {
        let symbols = frames.map { frame in
            let name = names[frame.function] ?? frame.function
            return CodeSymbol(
                function: name, file: frame.file, line: frame.line,
                isMachinery: SwiftNames.isMachinery(linkage: frame.function) || SwiftNames.isThunk(name))
        }
        return symbols.first { !$0.isMachinery } ?? symbols.first
    }
}

/// A function and its source line: two lines of the symbolizer's answer.
private struct RawFrame {
    var function: String
    var file: String
    var line: UInt32

    static func frames(in answer: String) -> [RawFrame] {
        let lines = answer.split(separator: "\n")
        return stride(from: 0, to: lines.count - 1, by: 2).compactMap { index in
            guard lines[index] != "??" else { return nil }
            // `file:line:column`; the file's name may contain colons.
            let parts = lines[index + 1].split(separator: ":", omittingEmptySubsequences: false)
            let line = parts.count > 2 ? UInt32(parts[parts.count - 2]) ?? 0 : 0
            let path = parts.dropLast(2).joined(separator: ":")
            let isKnown = line > 0 && !path.hasPrefix("<") && path != "??"
            return RawFrame(
                function: String(lines[index]), file: isKnown ? path.split(separator: "/").last.map(String.init) ?? "" : "",
                line: isKnown ? line : 0)
        }
    }
}
