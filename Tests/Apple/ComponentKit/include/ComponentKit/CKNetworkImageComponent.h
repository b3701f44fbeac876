#pragma once
#import "CKCompositeComponent.h"

@protocol CKNetworkImageDownloading
- (id)downloadImageWithURL:(NSURL *)url
                    caller:(id)caller
             callbackQueue:(dispatch_queue_t)callbackQueue
     downloadProgressBlock:(void (^)(CGFloat progress))downloadProgressBlock
                completion:(void (^)(CGImageRef image, NSError *error))completion;
- (void)cancelImageDownload:(id)download;
@end

struct CKNetworkImageComponentOptions { UIImage *defaultImage; CGRect cropRect; };

@interface CKNetworkImageComponent : CKComponent
+ (instancetype)newWithURL:(NSURL *)url
           imageDownloader:(id<CKNetworkImageDownloading>)imageDownloader
                      size:(const CKComponentSize &)size
                   options:(const CKNetworkImageComponentOptions &)options
                attributes:(const CKViewComponentAttributeValueMap &)attributes;
@end
