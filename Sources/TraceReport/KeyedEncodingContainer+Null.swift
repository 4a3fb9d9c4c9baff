extension KeyedEncodingContainer {
    /// Encodes null where there is nothing: `encodeIfPresent` would leave the key out, and all keys are always there.
    ///
    /// For the types that rows are made of, because the encoder takes twice as long over an optional as such.
    mutating func encodeOrNull(_ value: UInt64?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }

    mutating func encodeOrNull(_ value: String?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { try encodeNil(forKey: key) }
    }
}
