import ArgumentParser

/// A command whose errors are sentences with a status of their own.
protocol TraceCommand: ParsableCommand {
    func perform() throws
}

extension TraceCommand {
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
