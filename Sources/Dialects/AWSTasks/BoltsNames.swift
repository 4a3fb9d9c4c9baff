// The constants' names are the original's.

/// The domain of the error that stands for several.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let AWSTaskErrorDomain = "bolts"
/// The code of the error that stands for several.
public let kAWSMultipleErrorsError = 80_175_001
/// Where the error that stands for several has them in its `userInfo`.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let AWSTaskMultipleErrorsUserInfoKey = "errors"

/// Bolts' own names, for the same types.
public typealias BFTask = AWSTask
public typealias BFTaskCompletionSource = AWSTaskCompletionSource
public typealias BFExecutor = AWSExecutor
public typealias BFCancellationToken = AWSCancellationToken
public typealias BFCancellationTokenSource = AWSCancellationTokenSource
public typealias BFCancellationTokenRegistration = AWSCancellationTokenRegistration

/// ``AWSTaskErrorDomain`` by Bolts' name.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let BFTaskErrorDomain = AWSTaskErrorDomain
/// ``kAWSMultipleErrorsError`` by Bolts' name.
public let kBFMultipleErrorsError = kAWSMultipleErrorsError
/// ``AWSTaskMultipleErrorsUserInfoKey`` by Bolts' name.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let BFTaskMultipleErrorsUserInfoKey = AWSTaskMultipleErrorsUserInfoKey
