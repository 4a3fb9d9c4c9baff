/// The Swift runtime of a running process, as far as a library that is loaded later must know it.
package struct LoadedRuntime {
    /// Whether the runtime is a library, and no part of the program's file.
    package let isLibrary: Bool
    /// Whether Hopscope's tests have run on a runtime of this layout version.
    package let isListed: Bool
    /// The layout version that the runtime states.
    package let version: UInt32

    package init(of process: RemoteProcess) throws(SnapshotProblem) {
        let runtime = try ConcurrencyRuntime(of: process, RemoteReader(process))
        isLibrary = process.modules[runtime.module].name.contains("swift_Concurrency")
        isListed = runtime.isListed
        version = runtime.version
    }
}

extension RemoteProcess {
    /// The addresses of functions in the libraries whose file names begin with one of `beginnings`. The address of a function that none has is
    /// 0.
    package func functions(_ names: [String], inLibraries beginnings: [String]) -> [UInt64] {
        var addresses = [UInt64](repeating: 0, count: names.count)
        for index in modules.indices where beginnings.contains(where: { modules[index].name.hasPrefix($0) }) {
            for (place, address) in symbols(names, inModule: index).enumerated() where address != 0 && addresses[place] == 0 {
                addresses[place] = address
            }
        }
        return addresses
    }

    /// Whether the program or a library of its own defines a symbol.
    package func programDefines(_ symbol: String) -> Bool {
        modules.indices.contains { !SystemLibraries.contain(modules[$0].name) && symbols([symbol], inModule: $0)[0] != 0 }
    }
}
