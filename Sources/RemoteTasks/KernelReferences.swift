import CRemoteProcess

/// The addresses that the kernel keeps for a process: the data of its epolls, and of its timers.
struct KernelReferences {
    /// What keeps an address, by the address.
    private(set) var keepers: [UInt64: String] = [:]
    /// The descriptors that the epolls watch, by the data that an epoll returns for each.
    private(set) var watched: [UInt64: Int32] = [:]
    /// Whether the kernel told all of them.
    private(set) var isWhole = true

    init(of process: RemoteProcess) {
        if process.isCore {
            // A core file does not tell them. Only a program that calls the kernel's functions itself gives it such addresses.
            isWhole = !process.modules.contains { !SystemLibraries.contain($0.name) && process.imports("epoll_ctl", into: $0) }
            return
        }
        let folder = "/proc/\(process.pid)"
        for descriptor in ProcFile.names(in: folder + "/fdinfo") {
            for line in ProcFile("\(folder)/fdinfo/\(descriptor)").text.split(separator: "\n") where line.hasPrefix("tfd:") {
                let words = line.split(separator: " ")
                guard let index = words.firstIndex(of: "data:"), index + 1 < words.count, let data = UInt64(words[index + 1], radix: 16)
                else { continue }
                keepers[data] = "epoll \(descriptor), descriptor \(words[1])"
                watched[data] = Int32(words[1])
            }
        }
        for line in ProcFile("\(folder)/timers").text.split(separator: "\n") where line.hasPrefix("signal:") {
            if let address = line.split(separator: "/").last.flatMap({ UInt64($0, radix: 16) }) { keepers[address] = "a timer" }
        }
    }
}
