import TaskEvents
import TraceAnalysis

/// The tools of `hopscope mcp`, in the order in which an agent uses them.
enum AgentTools {
    /// - Parameter allowsControl: whether to offer the tools that start programs.
    static func all(_ settings: WarningSettings, allowsControl: Bool, time: TimeSource) -> [any AgentTool] {
        let targets = AgentTargets(settings, time: time)
        let looking: [any AgentTool] = [
            ProcessesTool(time: time), WhyWaitingTool(targets: targets), FindingsTool(targets: targets), FaultsTool(targets: targets),
            TasksTool(targets: targets), TaskTool(targets: targets), EventsTool(targets: targets),
        ]
        return looking + (allowsControl ? [RunCheckTool(time: time)] : [])
    }
}
