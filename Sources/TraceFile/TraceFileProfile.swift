import TaskEvents
import TraceTransport

/// The payload of a block of a profile. Each block is whole in itself: its modules, its stacks and its records.
enum TraceFileProfile {
    private static var placeSize: Int { 8 }
    private static var recordSize: Int { 24 }

    /// The payloads of as many blocks as the profile needs, with the number of records in each.
    static func payloads(of profile: ThreadProfile, limit: Int = TraceFileBlock.payloadLimit) -> [(bytes: [UInt8], count: Int)] {
        let (bytes, count) = (payload(of: profile), profile.records.count)
        guard bytes.count > limit, count > 1 else { return [(bytes, count)] }
        let halves = [profile.records[..<(count / 2)], profile.records[(count / 2)...]]
        return halves.flatMap { payloads(of: part($0, of: profile), limit: limit) }
    }

    private static func part(_ records: ArraySlice<ThreadProfile.Record>, of profile: ThreadProfile) -> ThreadProfile {
        var part = ThreadProfile(hertz: profile.hertz)
        for record in records {
            if record.kind == .sample {
                part.appendSample(of: record.thread, at: record.time, profile.stacks[Int(record.value)])
            } else {
                part.append(record)
            }
        }
        return part
    }

    static func payload(of profile: ThreadProfile) -> [UInt8] {
        var modules: [String] = []
        var numbers: [String: UInt32] = [:]
        for place in profile.stacks.joined() where numbers[place.module] == nil {
            numbers[place.module] = UInt32(modules.count)
            modules.append(place.module)
        }
        var bytes: [UInt8] = []
        for number in [profile.hertz, UInt32(modules.count), UInt32(profile.stacks.count), UInt32(profile.records.count)] {
            bytes.append32(number)
        }
        for module in modules {
            bytes.append32(UInt32(module.utf8.count))
            bytes.append(contentsOf: module.utf8)
        }
        for stack in profile.stacks {
            bytes.append32(UInt32(stack.count))
            for place in stack {
                bytes.append32(numbers[place.module] ?? 0)
                bytes.append32(place.offset)
            }
        }
        for record in profile.records {
            bytes.append64(record.time)
            bytes.append32(record.thread)
            bytes.append32(record.kind.rawValue)
            bytes.append32(record.value)
            bytes.append32(0)
        }
        bytes.pad()
        return bytes
    }

    /// Nil if `payload` is no profile.
    static func read(_ payload: UnsafeRawBufferPointer) -> ThreadProfile? {
        var reader = TraceFileNumbers(bytes: payload)
        guard let hertz = reader.number(), let moduleCount = reader.number(), let stackCount = reader.number(),
            let recordCount = reader.number()
        else { return nil }
        var modules: [String] = []
        for _ in 0..<moduleCount {
            guard let size = reader.number(), let text = reader.text(size) else { return nil }
            modules.append(text)
        }
        var stacks: [[CodeAddress]] = []
        for _ in 0..<stackCount {
            guard let count = reader.number(), Int(count) * placeSize <= reader.left else { return nil }
            var stack: [CodeAddress] = []
            for _ in 0..<count {
                guard let module = reader.number(), let offset = reader.number(), modules.indices.contains(Int(module)) else { return nil }
                stack.append(CodeAddress(module: modules[Int(module)], offset: offset))
            }
            stacks.append(stack)
        }
        guard Int(recordCount) * recordSize <= reader.left else { return nil }
        var profile = ThreadProfile(hertz: hertz)
        var numbers = StackNumbers(of: stacks)
        for _ in 0..<recordCount {
            guard let low = reader.number(), let high = reader.number(), let thread = reader.number(), let code = reader.number(),
                let value = reader.number(), reader.number() != nil
            else { return nil }
            let time = min(UInt64(low) | UInt64(high) << 32, TraceLimits.latestTime)
            // A later version may add kinds.
            guard let kind = ThreadProfile.Kind(rawValue: code) else { continue }
            if kind == .sample {
                guard let number = numbers.number(of: value, in: &profile) else { return nil }
                profile.append(ThreadProfile.Record(time: time, thread: thread, kind: kind, value: number))
            } else {
                profile.append(ThreadProfile.Record(time: time, thread: thread, kind: kind, value: value))
            }
        }
        return profile
    }
}
