import TaskEvents
import TraceTransport

/// Finds the functions, files and lines of places in code: from the symbols and the debug information of the program and its libraries.
///
/// It keeps what it has read of a file. Any thread may call it.
package struct Symbolizer: Sendable {
    private let files = DebugFiles()

    package init() {}

    /// The symbols of `addresses`. An unknown place has an empty name, so that it is not looked up again.
    package func symbols(of addresses: Set<CodeAddress>) -> [CodeAddress: CodeSymbol] {
        frames(of: addresses).mapValues { frames in
            Self.innermost(of: frames) ?? CodeSymbol(function: "", isMachinery: true)
        }
    }

    /// The symbols of the places in a recording's entries, and the functions that the places of its profile's stacks are in.
    @Sendable package func names(of entries: Set<CodeAddress>, stacks: Set<CodeAddress>) -> FoundNames {
        FoundNames(symbols: symbols(of: entries), stacks: frames(of: stacks))
    }

    /// The innermost function, inlined or not, of the user's own code; else of a dependency; else Swift's own.
    private static func innermost(of frames: [CodeSymbol]) -> CodeSymbol? {
        frames.first { !$0.isMachinery && !$0.isOfDependency } ?? frames.first { !$0.isMachinery } ?? frames.first
    }

    /// The functions that each of `addresses` is in: the innermost inlined one first, the function itself last. None for an unknown place.
    package func frames(of addresses: Set<CodeAddress>) -> [CodeAddress: [CodeSymbol]] {
        Dictionary(
            uniqueKeysWithValues: addresses.map { address in
                (address, files.frames(at: UInt64(address.offset), of: address.module).map { Self.symbol(of: $0, in: address.module) })
            })
    }

    private static func symbol(of frame: DebugFiles.Frame, in module: String) -> CodeSymbol {
        let name = SwiftNames.readable(frame.function)
        let expansion = SwiftNames.expansion(frame.path)
        return CodeSymbol(
            function: name, file: expansion?.file ?? frame.path.split(separator: "/").last.map(String.init) ?? "",
            line: expansion?.line ?? frame.line,
            begin: expansion == nil ? frame.begin : 0,
            path: expansion == nil ? frame.path : "",
            isMachinery: SwiftNames.isMachinery(linkage: frame.function) || SwiftNames.isThunk(name),
            library: SwiftNames.library(linkage: frame.function, module: module, path: frame.path))
    }
}
