// `import CalotypeApple` brings what an app on Apple platforms calls; elsewhere it brings nothing of its own.
@_exported public import ImageCaching
@_exported public import ImageCore
@_exported public import ImageDecodingApple
@_exported public import ImageLoading
@_exported public import ImageNetworkingFoundation
@_exported public import ImageProcessing
@_exported public import ImageTargets
