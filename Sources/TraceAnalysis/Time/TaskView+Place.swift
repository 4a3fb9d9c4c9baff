import TaskEvents
import TraceStore

extension TaskView {
    /// Whether the task was made at a place, which may lack the folders.
    package func isMade(at place: String) -> Bool {
        let site = label.site
        return site == place || site.hasSuffix("/\(place)")
    }
}
