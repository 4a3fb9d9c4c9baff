import ArgumentParser

/// The words of the command line as the user typed them.
enum TypedArguments {
    /// The commands whose first operand is a program.
    static let startingPrograms: [any ParsableCommand.Type] = [RunCommand.self, ExploreCommand.self]

    /// Puts `--` before the program in `run PROGRAM`, whose own options are then not taken for those of `run`.
    ///
    /// - Parameter help: the help of a command, from which the options that take values are read.
    static func withTerminator(_ words: [String], help: (any ParsableCommand.Type) -> String) -> [String] {
        guard let command = startingPrograms.first(where: { $0.configuration.commandName == words.first }),
            let program = firstOperand(of: words, help(command))
        else { return words }
        return words[..<program] + ["--"] + words[program...]
    }

    /// The words with a number for `--profile`, where the user gave none. Words after `--` are the program's.
    static func withFrequency(_ words: [String]) -> [String] {
        guard [RunCommand.configuration.commandName, RecordCommand.configuration.commandName].contains(words.first) else { return words }
        let end = words.firstIndex(of: "--") ?? words.count
        return words[..<end].map { $0 == ProfileOption.word ? "\($0)=\(ProfileRates.usualHertz)" : $0 } + words[end...]
    }

    /// The index of the first word that is neither an option nor an option's value. Nil if a `--` comes before.
    private static func firstOperand(of words: [String], _ help: String) -> Int? {
        // The help has both names of an option before its value: "-o, --output <file>".
        let takingValues = Set(help.matches(of: /(?:(-[a-z]), )?(--?[a-z][a-z-]*) </).flatMap { [$0.1 ?? $0.2, $0.2] }.map(String.init))
        var index = 1
        while index < words.count, words[index].hasPrefix("-") {
            if words[index] == "--" { return nil }
            index += takingValues.contains(words[index]) && words[index] != ProfileOption.word ? 2 : 1
        }
        return index < words.count ? index : nil
    }

    /// Throws an error for a first word that is no command: with the nearest one, or with the one that takes such a file.
    static func checkCommand(_ words: [String], among commands: [any ParsableCommand.Type]) throws(UserError) {
        let names = commands.compactMap { $0.configuration.commandName } + ["help"]
        guard let word = words.first, !word.hasPrefix("-"), !names.contains(word) else { return }
        let advice = advice(onFile: word) ?? "\(NearestName.question(word, among: names)) 'hopscope --help' lists the commands."
        throw UserError("There is no command '\(word)'.\(advice)", .wrongUsage)
    }

    /// Nil if the word names neither a program nor a trace.
    private static func advice(onFile word: String) -> String? {
        if TraceArgument.isProgram(word) { return " It is a program: 'hopscope run \(word)' starts it and shows its tasks." }
        return switch try? OpenedTrace(path: word) {
        case .recording: " It is a recording: 'hopscope replay \(word)' shows it."
        case .lanes: " It is the trace of a process: 'hopscope attach \(word)' shows it."
        case nil: nil
        }
    }
}
