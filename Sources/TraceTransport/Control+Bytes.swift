import TaskEvents

/// Commands and answers as messages: a version byte, a code byte, then numbers (little-endian) and finally a text (UTF-8).
///
/// The codes are the format: later versions add codes and never change one. A message that is too short, too long or of another version is
/// rejected.
extension Control {
    static let formatVersion: UInt8 = 1
    /// The largest size of a message, in bytes.
    static let messageLimit = 4096

    package var bytes: [UInt8] {
        var message = MessageWriter(code: code)
        switch self {
        case .ping, .runToFault, .runToMainHop: break
        case .mark(let text): message.append(text)
        case .hold(let scope), .open(let scope), .step(let scope): message.append(scope.number)
        case .stepInto(let task), .cancel(let task): message.append(task.rawValue)
        case .runTo(let condition): message.append(condition.code)
        case .fault(let task, let text):
            message.append(task.rawValue)
            message.append(text)
        }
        return message.bytes
    }

    private var code: UInt8 {
        switch self {
        case .ping: 1
        case .mark: 2
        case .hold: 3
        case .open: 4
        case .step: 5
        case .stepInto: 6
        case .runToFault: 7
        case .runToMainHop: 8
        case .cancel: 9
        case .fault: 10
        case .runTo: 11
        }
    }

    /// Nil if `bytes` are not a command of this version.
    package init?(bytes: some Collection<UInt8>) {
        guard var message = MessageReader(bytes) else { return nil }
        let command: Control? =
            switch message.code {
            case 1: .ping
            case 2: message.text().map(Control.mark)
            case 3: message.scope().map(Control.hold)
            case 4: message.scope().map(Control.open)
            case 5: message.scope().map(Control.step)
            case 6: message.task().map(Control.stepInto)
            case 7: .runToFault
            case 8: .runToMainHop
            case 9: message.task().map(Control.cancel)
            case 10: message.task().flatMap { task in message.text().map { .fault(task, message: $0) } }
            case 11: message.text().flatMap(JobCondition.init(code:)).map(Control.runTo)
            default: nil
            }
        guard let command, message.isAtEnd else { return nil }
        self = command
    }
}

extension ControlScope {
    fileprivate var number: UInt16 {
        switch self {
        case .all: 0
        case .executor(let id): id.rawValue
        }
    }
}

extension ControlAnswer {
    package var bytes: [UInt8] {
        let code: UInt8 =
            switch self {
            case .done: 1
            case .unsupported: 2
            case .failed: 3
            case .refused: 4
            }
        var message = MessageWriter(code: code)
        message.append(sentence)
        return message.bytes
    }

    /// Nil if `bytes` are not an answer of this version.
    package init?(bytes: some Collection<UInt8>) {
        guard var message = MessageReader(bytes), let sentence = message.text() else { return nil }
        switch message.code {
        case 1: self = .done(sentence)
        case 2: self = .unsupported(sentence)
        case 3: self = .failed(sentence)
        case 4: self = .refused(sentence)
        default: return nil
        }
    }
}

private struct MessageWriter {
    private(set) var bytes: [UInt8]

    init(code: UInt8) {
        bytes = [Control.formatVersion, code]
    }

    mutating func append(_ number: some FixedWidthInteger) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Appends the last part of a message. A text that is too long is cut off between characters.
    mutating func append(_ text: String) {
        for character in text {
            guard bytes.count + character.utf8.count <= Control.messageLimit else { return }
            bytes.append(contentsOf: character.utf8)
        }
    }
}

private struct MessageReader {
    let code: UInt8
    private var rest: [UInt8]

    init?(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count >= 2, bytes.count <= Control.messageLimit, bytes[0] == Control.formatVersion else { return nil }
        code = bytes[1]
        rest = Array(bytes[2...])
    }

    var isAtEnd: Bool { rest.isEmpty }

    private mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
        let size = MemoryLayout<Number>.size
        guard rest.count >= size else { return nil }
        defer { rest.removeFirst(size) }
        return rest.prefix(size).reversed().reduce(0) { $0 << 8 | Number($1) }
    }

    mutating func scope() -> ControlScope? {
        number(UInt16.self).map { $0 == 0 ? .all : .executor(ExecutorID(rawValue: $0)) }
    }

    mutating func task() -> TaskID? {
        number(UInt64.self).flatMap { $0 == 0 ? nil : TaskID(rawValue: $0) }
    }

    /// Reads all remaining bytes as a text.
    mutating func text() -> String? {
        defer { rest = [] }
        return String(validating: rest, as: UTF8.self)
    }
}
