import Foundation

/// The function of the Swift runtime that makes names readable in its own backtraces. It allocates the text.
@_silgen_name("_swift_backtrace_demangle")
private func demangle(
    _ name: UnsafePointer<CChar>, _ size: Int, _ buffer: UnsafeMutablePointer<CChar>?, _ room: UnsafeMutablePointer<Int>?
) -> UnsafeMutablePointer<CChar>?

/// Mangled and readable function names.
package enum SwiftNames {
    /// Whether a function belongs to Swift's library or runtime, or is C.
    static func isMachinery(linkage name: String) -> Bool {
        if name == "main" || isTopLevel(name) { return false }
        // The compiler specializes this function of the runtime in each program. Its name has no module.
        if name.hasPrefix("$s20swift_willThrowTyped") { return true }
        // `$ss` is the standard library, `$sSc` is `_Concurrency`.
        return !name.hasPrefix("$s") || name.hasPrefix("$ss") || name.hasPrefix("$sSc")
    }

    /// Whether a function is a part of the code at the top level of a file that awaits. The compiler gives these parts names of C.
    private static func isTopLevel(_ name: String) -> Bool { name.hasPrefix("async_Main") }

    /// The modules of the toolchain whose functions the compiler may inline into a program.
    private static let librariesOfToolchain: [(prefix: String, name: String)] = [
        ("$s6XCTest", "XCTest"), ("$s7Testing", "Testing"), ("$s8Dispatch", "Dispatch"), ("$s10Foundation", "Foundation"),
        ("$s20FoundationEssentials", "Foundation"),
    ]

    /// The library of the toolchain, or the package that the program depends on, to which a function belongs; empty for the program's own.
    /// `module` is the file that holds the function, `path` its source file. SwiftPM and Xcode check dependencies out into folders of these
    /// names.
    static func library(linkage name: String, module: String, path: String) -> String {
        if let library = librariesOfToolchain.first(where: { library in name.hasPrefix(library.prefix) }) { return library.name }
        if let folder = module.firstRange(of: "/lib/swift/linux/") {
            let file = module[folder.upperBound...].split(separator: "/").last?.prefix { $0 != "." } ?? ""
            return String(file.hasPrefix("lib") ? file.dropFirst(3) : file)
        }
        for folder in ["/.build/checkouts/", "/SourcePackages/checkouts/"] {
            if let folder = path.firstRange(of: folder) { return String(path[folder.upperBound...].prefix { $0 != "/" }) }
        }
        return ""
    }

    /// The readable name of a mangled name of Swift or C++, as short as in a backtrace; any other name as it is.
    package static func readable(_ name: String) -> String {
        if isTopLevel(name) { return "main" }
        guard name.hasPrefix("$s") || name.hasPrefix("_Z"), let text = demangle(name, name.utf8.count, nil, nil) else { return name }
        defer { free(text) }
        return plain(String(cString: text))
    }

    /// The file and the line of the code that a macro was expanded in, from the name that the compiler gives to the file of the expansion:
    /// `@__swiftmacro_4main003Appswift_tiAIefMX30_12_9stringifyfMf_.swift`. Nil if the name has none.
    static func expansion(_ path: String) -> (file: String, line: UInt32)? {
        guard let name = path.split(separator: "/").last, name.hasPrefix("@__swiftmacro_"), name.hasSuffix(".swift") else { return nil }
        let mangled = "$s" + name.dropFirst("@__swiftmacro_".count).dropLast(".swift".count)
        guard let text = demangle(mangled, mangled.utf8.count, nil, nil) else { return nil }
        defer { free(text) }
        let words = String(cString: text).split(separator: " ")
        guard let file = words.lastIndex(of: "file"), let line = words.lastIndex(of: "line") else { return nil }
        guard file + 2 == line, line + 1 < words.count else { return nil }
        return UInt32(words[line + 1]).map { (String(words[file + 1]), $0) }
    }

    /// Removes the words that describe how the compiler made the function.
    private static func plain(_ name: String) -> String {
        var name = name
        let words = ["specialized ", "partial apply for ", "partial apply forwarder for "]
        while let word = words.first(where: { name.hasPrefix($0) }) { name.removeFirst(word.count) }
        // A closure in code at the top level of a file is in no function that has a name.
        if name.hasSuffix(" in ") { name += "main" }
        return calledAfterMacro(
            name.replacingOccurrences(of: ".__allocating_init(", with: ".init(").replacingOccurrences(of: "@Sendable ", with: ""))
    }

    /// Calls code that a macro made after the macro: `closure #1 in #expect`, `@Test savesPages`. The identifier of a function that an attached
    /// macro adds is a mangled name.
    private static func calledAfterMacro(_ name: String) -> String {
        if let macro = name.firstRange(of: "freestanding macro expansion #"), let of = name[macro.upperBound...].firstRange(of: " of ") {
            return name[..<macro.lowerBound] + "#" + name[of.upperBound...].prefix { $0 != " " }
        }
        guard let start = name.firstRange(of: "$s")?.lowerBound else { return name }
        let mangled = String(name[start...].prefix { $0 != "(" })
        guard let text = demangle(mangled, mangled.utf8.count, nil, nil) else { return name }
        defer { free(text) }
        let words = String(cString: text).split(separator: " ")
        guard let macro = words.firstIndex(of: "macro"), let of = words[macro...].firstIndex(of: "of") else { return name }
        guard of + 1 < words.count else { return name }
        return "\(name[..<start])\(words[macro + 1]) \(words[of + 1])"
    }

    static func isThunk(_ readable: String) -> Bool {
        readable.hasPrefix("thunk for ") || readable.hasPrefix("reabstraction thunk") || readable.hasPrefix("async function pointer")
    }
}
