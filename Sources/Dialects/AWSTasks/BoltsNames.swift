/// The domain of the error that combines several errors.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let AWSTaskErrorDomain = "bolts"
/// The code of the error that combines several errors.
public let kAWSMultipleErrorsError = 80_175_001
/// The key of the combined errors in that error's `userInfo`.
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
