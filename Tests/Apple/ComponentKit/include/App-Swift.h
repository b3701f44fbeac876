// The declaration that the compiler would generate for the example's Swift class.
#pragma once
#import "ComponentKit/CKNetworkImageComponent.h"

@interface CalotypeImageDownloader : NSObject <CKNetworkImageDownloading>
@property (class, nonatomic, readonly) CalotypeImageDownloader *shared;
@end
