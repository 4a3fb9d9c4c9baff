import CCurses
import Foundation

extension CursesTerminal {
    /// Uses OSC 52, which terminals without clipboard access ignore.
    package func copy(_ text: String) {
        guard isOpen, !isSuspended else { return }
        let sequence = "\u{1B}]52;c;\(Data(text.utf8).base64EncodedString())\u{07}"
        sequence.utf8CString.withUnsafeBufferPointer { bytes in
            if let base = bytes.baseAddress { curses_screen_send(base, bytes.count - 1) }
        }
    }
}
