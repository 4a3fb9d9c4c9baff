import ArgumentParser
import TaskEvents

/// A command whose errors are ``UserError``s, printed as sentences and mapped to exit statuses.
protocol TraceCommand: ParsableCommand {
    func perform() throws
}

extension TraceCommand {
    /// The clock that the command passes to its parts.
    var clock: TimeSource { TimeSource() }

    func run() throws {
        do {
            try perform()
        } catch let exit as ExitCode {
            throw exit
        } catch let usage as ValidationError {
            throw usage
        } catch {
            let error = UserError(any: error)
            error.say()
            throw ExitCode(error.status.rawValue)
        }
    }
}
