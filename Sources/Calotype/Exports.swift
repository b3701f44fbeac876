// Re-exports every module that an application uses.
@_exported public import ImageCaching
@_exported public import ImageCore
@_exported public import ImageDecoding
@_exported public import ImageKernels
@_exported public import ImageLoading
@_exported public import ImageNetworking
@_exported public import ImageProcessing
@_exported public import ImageTargets

#if canImport(ImageIO)
    @_exported public import ImageDecodingApple
    @_exported public import ImageNetworkingFoundation
#else
    @_exported public import ImageCodecs
    @_exported public import ImageNetworkingCurl
#endif
