import Foundation

/// Mangled and readable function names.
enum SwiftNames {
    /// Whether a function belongs to Swift's library or runtime, or is C.
    static func isMachinery(linkage name: String) -> Bool {
        if name == "main" { return false }
        // The compiler specializes this function of the runtime in each program. Its name has no module.
        if name.hasPrefix("$s20swift_willThrowTyped") { return true }
        // `$ss` is the standard library, `$sSc` is `_Concurrency`.
        return !name.hasPrefix("$s") || name.hasPrefix("$ss") || name.hasPrefix("$sSc")
    }

    /// Whether a function belongs to a library of the toolchain or to a package that the program depends on. `module` is the file that
    /// holds the function, `path` its source file. SwiftPM and Xcode check dependencies out into folders of these names.
    static func isOfDependency(linkage name: String, module: String, path: String) -> Bool {
        if module.contains("/lib/swift/linux/") || name.hasPrefix("$s6XCTest") || name.hasPrefix("$s7Testing") { return true }
        return path.contains("/.build/checkouts/") || path.contains("/SourcePackages/checkouts/")
    }

    /// The readable name of each mangled name of Swift or C++ that can be demangled.
    static func readable(_ names: Set<String>, by tool: SymbolTool?) -> [String: String] {
        let ofCxx = names.compactMap { name in readable(cxx: name).map { (name, $0) } }
        return readableOfSwift(names, by: tool).merging(ofCxx) { swift, _ in swift }
    }

    private static func readableOfSwift(_ names: Set<String>, by tool: SymbolTool?) -> [String: String] {
        let mangled = names.filter { $0.hasPrefix("$s") }.sorted()
        guard let tool, !mangled.isEmpty,
            let answer = tool.answer(mangled.joined(separator: "\n") + "\n", ["--simplified", "--compact"])
        else { return [:] }
        let lines = answer.split(separator: "\n", omittingEmptySubsequences: false)
        return Dictionary(zip(mangled, lines.map { plain(String($0)) }), uniquingKeysWith: { first, _ in first })
    }

    /// The name of a C++ function, by the C++ runtime that Swift's runtime is linked with. Nil for any other name.
    private static func readable(cxx name: String) -> String? {
        typealias Text = UnsafeMutablePointer<CChar>
        typealias Demangle =
            @convention(c) (UnsafePointer<CChar>, Text?, UnsafeMutablePointer<Int>?, UnsafeMutablePointer<CInt>?) -> Text?
        guard name.hasPrefix("_Z"), let symbol = dlsym(nil, "__cxa_demangle") else { return nil }
        guard let text = unsafeBitCast(symbol, to: Demangle.self)(name, nil, nil, nil) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }

    /// Removes the words that describe how the compiler made the function.
    private static func plain(_ name: String) -> String {
        var name = name
        let words = ["specialized ", "partial apply for ", "partial apply forwarder for "]
        while let word = words.first(where: { name.hasPrefix($0) }) { name.removeFirst(word.count) }
        return name.replacingOccurrences(of: ".__allocating_init(", with: ".init(")
    }

    static func isThunk(_ readable: String) -> Bool {
        readable.hasPrefix("thunk for ") || readable.hasPrefix("reabstraction thunk") || readable.hasPrefix("async function pointer")
    }
}
