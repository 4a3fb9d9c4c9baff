/// The names of threads. The kernel keeps 15 bytes of a name, and Dispatch gives it the end of a queue's label.
enum ThreadName {
    /// The name of a process's thread.
    static func read(_ thread: Int32, of process: Int32) -> String {
        shown(String(ProcFile("/proc/\(process)/task/\(thread)/comm").text.prefix { $0 != "\n" }))
    }

    /// `com.apple.root.default-qos` for `oot.default-qos`. The names of the threads that a program made itself stay.
    static func shown(_ name: String) -> String {
        guard name.utf8.count == kept else { return name }
        let meant = labels.filter { $0.hasSuffix(name) }
        return meant.count > 1 ? "…\(name)" : meant.first ?? name
    }

    /// The bytes of a name that the kernel keeps.
    private static let kept = 15
    /// The labels of Dispatch's own queues.
    private static let labels = ["maintenance", "background", "utility", "default", "user-initiated", "user-interactive"].flatMap {
        ["com.apple.root.\($0)-qos", "com.apple.root.\($0)-qos.overcommit"]
    }
}
