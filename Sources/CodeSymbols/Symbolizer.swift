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
        frames(of: places).mapValues { frames in
            Self.innermost(of: frames) ?? CodeSymbol(function: "", isMachinery: true)
        }
    }

    /// The innermost function, inlined or not, of the user's own code; else of a dependency; else Swift's own.
    private static func innermost(of frames: [CodeSymbol]) -> CodeSymbol? {
        frames.first { !$0.isMachinery && !$0.isOfDependency } ?? frames.first { !$0.isMachinery } ?? frames.first
    }

    /// The functions that each of `places` is in: the innermost inlined one first, the function itself last. None for an unknown place.
    package func frames(of places: Set<CodePlace>) -> [CodePlace: [CodeSymbol]] {
        let places = places.filter { !$0.module.contains("\"") && !$0.module.contains("\n") }
        let none: [CodePlace: [CodeSymbol]] = Dictionary(uniqueKeysWithValues: places.map { ($0, []) })
        guard let symbolizer, !places.isEmpty else { return none }
        let asked = Array(places)
        let question = asked.map { "\"\($0.module)\" 0x\(String($0.offset, radix: 16))\n" }.joined()
        guard let answer = symbolizer.answer(question, ["--no-demangle", "--functions=linkage", "--inlines"]) else { return none }
        let found = answer.components(separatedBy: "\n\n").map(RawFrame.frames(in:))
        let names = SwiftNames.readable(Set(found.joined().map(\.function)), by: demangler)
        let symbols = zip(asked, found).map { place, frames in (place, frames.map { Self.symbol(of: $0, in: place.module, names) }) }
        return none.merging(symbols) { _, found in found }
    }

    private static func symbol(of frame: RawFrame, in module: String, _ names: [String: String]) -> CodeSymbol {
        let name = names[frame.function] ?? frame.function
        return CodeSymbol(
            function: name, file: frame.file, line: frame.line,
            isMachinery: SwiftNames.isMachinery(linkage: frame.function) || SwiftNames.isThunk(name),
            isOfDependency: SwiftNames.isOfDependency(linkage: frame.function, module: module, path: frame.path))
    }
}

/// A function and its source line: two lines of the symbolizer's answer.
private struct RawFrame {
    var function: String
    /// The path of the source file; empty if unknown.
    var path: String
    var file: String { path.split(separator: "/").last.map(String.init) ?? "" }
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
                function: String(lines[index]), path: isKnown ? path : "", line: isKnown ? line : 0)
        }
    }
}
