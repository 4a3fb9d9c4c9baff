/// The domain of the error that combines several.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let AWSTaskErrorDomain = "bolts"
/// The code of the error that combines several.
public let kAWSMultipleErrorsError = 80_175_001
/// The key of the errors in the `userInfo` of the error that combines them.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let AWSTaskMultipleErrorsUserInfoKey = "errors"

/// The same types under Bolts' names.
public typealias BFTask = AWSTask
public typealias BFTaskCompletionSource = AWSTaskCompletionSource
public typealias BFExecutor = AWSExecutor
public typealias BFCancellationToken = AWSCancellationToken
public typealias BFCancellationTokenSource = AWSCancellationTokenSource
public typealias BFCancellationTokenRegistration = AWSCancellationTokenRegistration

/// ``AWSTaskErrorDomain`` under Bolts' name.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let BFTaskErrorDomain = AWSTaskErrorDomain
/// ``kAWSMultipleErrorsError`` under Bolts' name.
public let kBFMultipleErrorsError = kAWSMultipleErrorsError
/// ``AWSTaskMultipleErrorsUserInfoKey`` under Bolts' name.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let BFTaskMultipleErrorsUserInfoKey = AWSTaskMultipleErrorsUserInfoKey
