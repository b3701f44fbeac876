#import <ComponentKit/CKCompositeComponent.h>
#import <ComponentKit/CKNetworkImageComponent.h>

#import "App-Swift.h"

/// A round image of 64 points, loaded by Calotype.
@interface Avatar : CKCompositeComponent
+ (instancetype)newWithURL:(NSURL *)url;
@end

@implementation Avatar

+ (instancetype)newWithURL:(NSURL *)url
{
  return [super newWithComponent:
          [CKNetworkImageComponent
           newWithURL:url
           imageDownloader:CalotypeImageDownloader.shared
           size:{ .width = 64, .height = 64 }
           options:{ .defaultImage = [UIImage imageNamed:@"avatar"] }
           attributes:{
             { CKComponentViewAttribute::LayerAttribute(@selector(setCornerRadius:)), @32.0 },
             { @selector(setClipsToBounds:), @YES },
           }]];
}

@end
