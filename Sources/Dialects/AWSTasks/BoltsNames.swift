/// The domain of the error that combines several errors.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let AWSTaskErrorDomain = "bolts"
/// The code of the error that combines several errors.
public let kAWSMultipleErrorsError = 80_175_001
/// The key of the combined errors in that error's `userInfo`.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let AWSTaskMultipleErrorsUserInfoKey = "errors"

/// ``AWSTask`` under Bolts' name.
public typealias BFTask = AWSTask
/// ``AWSTaskCompletionSource`` under Bolts' name.
public typealias BFTaskCompletionSource = AWSTaskCompletionSource
/// ``AWSExecutor`` under Bolts' name.
public typealias BFExecutor = AWSExecutor
/// ``AWSCancellationToken`` under Bolts' name.
public typealias BFCancellationToken = AWSCancellationToken
/// ``AWSCancellationTokenSource`` under Bolts' name.
public typealias BFCancellationTokenSource = AWSCancellationTokenSource
/// ``AWSCancellationTokenRegistration`` under Bolts' name.
public typealias BFCancellationTokenRegistration = AWSCancellationTokenRegistration

/// ``AWSTaskErrorDomain`` under Bolts' name.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let BFTaskErrorDomain = AWSTaskErrorDomain
/// ``kAWSMultipleErrorsError`` under Bolts' name.
public let kBFMultipleErrorsError = kAWSMultipleErrorsError
/// ``AWSTaskMultipleErrorsUserInfoKey`` under Bolts' name.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let BFTaskMultipleErrorsUserInfoKey = AWSTaskMultipleErrorsUserInfoKey
