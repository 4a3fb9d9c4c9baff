import Foundation

/// The shared libraries that a machine-code file asks the loader for, as its dynamic section lists them.
///
/// Any bytes may be given; from a damaged file it finds fewer libraries or none.
struct NeededLibraries {
    let names: [String]

    private enum Tag {
        static let end: UInt64 = 0
        static let needed: UInt64 = 1
        static let texts: UInt64 = 5
    }

    /// More libraries, or longer names, no program has.
    private static let most = 4096

    init(of file: Data) {
        let segments = ProgramSegments(of: file)
        func text(at offset: UInt64) -> String? {
            guard offset < UInt64(file.count) else { return nil }
            let start = file.startIndex + Int(offset)
            return String(decoding: file[start...].prefix(Self.most).prefix { $0 != 0 }, as: UTF8.self)
        }

        var names: [UInt64] = []
        var texts: UInt64?
        for segment in segments.all(.dynamic).prefix(1) {
            for entry in 0..<min(segment.size / 16, UInt64(Self.most)) {
                let position = segment.offset &+ entry * 16
                guard let tag = segments.word(UInt64.self, at: position),
                    let value = segments.word(UInt64.self, at: position &+ 8), tag != Tag.end
                else {
                    break
                }
                if tag == Tag.needed { names.append(value) }
                if tag == Tag.texts { texts = value }
            }
        }
        // The dynamic section has the address at which the texts are loaded.
        let loaded = segments.all(.loaded).first { segment in
            texts.map { $0 >= segment.address && $0 - segment.address < segment.size } ?? false
        }
        guard let texts, let loaded else {
            self.names = []
            return
        }
        self.names = names.compactMap { text(at: loaded.offset &+ (texts - loaded.address) &+ $0) }
    }
}
