import CZstd
import TaskEvents

/// Compresses the payloads of a recording's blocks, each into one zstd frame. Not thread-safe.
final class TraceFileCompressor {
    /// zstd's fastest level. The columns of events are so regular that the default level 3 saves only another twentieth.
    private static let level: Int32 = 1

    private let context: OpaquePointer

    init() throws(TraceProblem) {
        guard let context = ZSTD_createCCtx() else {
            throw TraceProblem(.unavailable, "The recording cannot be written: there is no memory left to compress it.")
        }
        self.context = context
    }

    deinit {
        ZSTD_freeCCtx(context)
    }

    /// Appends the compressed payload to `bytes`, and zeros up to the next multiple of eight.
    func append(_ payload: UnsafeRawBufferPointer, to bytes: inout [UInt8]) throws(TraceProblem) {
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: ZSTD_compressBound(payload.count)))
        let size = bytes.withUnsafeMutableBytes {
            ZSTD_compressCCtx(context, $0.baseAddress! + start, $0.count - start, payload.baseAddress, payload.count, Self.level)
        }
        guard ZSTD_isError(size) == 0 else {
            throw TraceProblem(.unavailable, "The recording cannot be written further: \(String(cString: ZSTD_getErrorName(size))).")
        }
        bytes.removeSubrange((start + size)...)
        bytes.pad()
    }
}

/// Decompresses the payloads of a recording's blocks. Not thread-safe.
final class TraceFileDecompressor {
    private let context = ZSTD_createDCtx()

    deinit {
        ZSTD_freeDCtx(context)
    }

    /// The payload that a writer compressed; nil if the bytes are no such frame, or one of more than `limit` bytes.
    func payload(of bytes: UnsafeRawBufferPointer, limit: Int) -> [UInt8]? {
        guard let context else { return nil }
        let size = ZSTD_findFrameCompressedSize(bytes.baseAddress, bytes.count)
        let contents = ZSTD_getFrameContentSize(bytes.baseAddress, bytes.count)
        // Both error codes are numbers far above the limit.
        guard ZSTD_isError(size) == 0, contents <= UInt64(limit) else { return nil }
        var isWhole = false
        let payload = [UInt8](unsafeUninitializedCapacity: Int(contents)) { buffer, count in
            let result = ZSTD_decompressDCtx(context, buffer.baseAddress, buffer.count, bytes.baseAddress, size)
            isWhole = ZSTD_isError(result) == 0 && result == Int(contents)
            count = isWhole ? result : 0
        }
        return isWhole ? payload : nil
    }
}
