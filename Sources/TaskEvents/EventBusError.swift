/// Why a bus could not be made.
package struct EventBusError: Error, CustomStringConvertible {
    package let description: String
}
