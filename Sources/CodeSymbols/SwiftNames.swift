import Foundation

/// The function of the Swift runtime that makes names readable in its own backtraces. It allocates the text.
@_silgen_name("_swift_backtrace_demangle")
private func demangle(
    _ name: UnsafePointer<CChar>, _ size: Int, _ buffer: UnsafeMutablePointer<CChar>?, _ room: UnsafeMutablePointer<Int>?
) -> UnsafeMutablePointer<CChar>?

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

    /// The readable name of a mangled name of Swift or C++, as short as in a backtrace; any other name as it is.
    static func readable(_ name: String) -> String {
        guard name.hasPrefix("$s") || name.hasPrefix("_Z"), let text = demangle(name, name.utf8.count, nil, nil) else { return name }
        defer { free(text) }
        return plain(String(cString: text))
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
