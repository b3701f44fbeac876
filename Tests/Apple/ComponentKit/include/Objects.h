// The parts of Foundation and UIKit that the example's Objective-C++ uses.
#pragma once
#include <initializer_list>

typedef signed char BOOL;
typedef double CGFloat;
struct CGRect { CGFloat x, y, width, height; };
struct CGImage;
typedef struct CGImage *CGImageRef;
typedef struct dispatch_queue *dispatch_queue_t;
#define YES ((BOOL)1)

__attribute__((objc_root_class))
@interface NSObject
@end
@interface NSString : NSObject
@end
@interface NSURL : NSObject
@end
@interface NSError : NSObject
@end
@interface NSNumber : NSObject
+ (NSNumber *)numberWithDouble:(double)value;
+ (NSNumber *)numberWithBool:(BOOL)value;
@end
@interface UIImage : NSObject
+ (UIImage *)imageNamed:(NSString *)name;
@end
// The properties of a view and its layer that the example sets.
@interface UIView : NSObject
@property (nonatomic) BOOL clipsToBounds;
@property (nonatomic) CGFloat cornerRadius;
@end
