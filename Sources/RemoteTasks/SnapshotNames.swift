import TaskEvents
import TraceReport

/// The names of tasks, as recordings have them.
extension SnapshotSymbols {
    /// The name that the program gave a task. Without one, the function that the task runs, as a reader knows it, with the line at which a
    /// closure of it begins. A task that a package made, as a server makes one per request, is called after the program's own function.
    /// Empty if none is known.
    package func name(of task: RemoteTask) -> String { label(of: task).fullName }

    /// The same, with the place at which the task's closure begins.
    func label(of task: RemoteTask) -> Label {
        guard let body = body(of: task) else { return Label(name: task.name) }
        let own = body.isOfDependency ? outermost(in: task) : body
        // Swift 6.2 takes both for optional ones without their types.
        let named: CodeSymbol = own.flatMap { $0.isOfDependency ? nil : $0 } ?? body
        // The piece of a closure that the runtime calls may be the compiler's own, without a line.
        let code: CodeSymbol = calls(at: stack(of: task)).last { $0.function == named.function && $0.begin > 0 } ?? named
        let hasPlace = code.isClosure && !code.file.isEmpty && code.begin > 0
        return Label(
            name: task.name.nilIfEmpty ?? (code.isMain ? "main" : code.name), file: hasPlace ? code.file : "",
            line: hasPlace ? code.begin : 0, isOfCode: task.name.isEmpty)
    }

    /// The outermost of the program's own functions in a task's stack, or else of its packages'. It is the test if the task runs one.
    func outermost(in task: RemoteTask) -> CodeSymbol? {
        let named = calls(at: stack(of: task)).filter {
            !$0.isMachinery && !$0.isEntry && !$0.isClosure && !$0.function.hasPrefix("protocol witness for ") && !$0.site.isEmpty
        }
        return named.last { !$0.isOfDependency } ?? named.last
    }
}

extension CodeSymbol {
    /// Whether a program begins in the function, or it runs the program's tests.
    var isEntry: Bool { function == "main" || isMain || isTestRunner || function.hasSuffix("_main") }

    var isTestRunner: Bool { function.contains("Runner.main()") || function.hasPrefix("__swiftPM") }

    /// Whether it is the function that the compiler makes of `@main`.
    fileprivate var isMain: Bool { function.contains("$main()") }
}
