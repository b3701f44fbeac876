#pragma once
#import "../Objects.h"

struct CKComponentViewAttribute {
  CKComponentViewAttribute(SEL setter);
  static CKComponentViewAttribute LayerAttribute(SEL setter);
};
struct CKViewComponentAttributeValueMap {
  struct Pair { CKComponentViewAttribute attribute; id value; };
  CKViewComponentAttributeValueMap(std::initializer_list<Pair> pairs);
};
struct CKComponentSize { CGFloat width, height; };

@interface CKComponent : NSObject
@end
@interface CKCompositeComponent : CKComponent
+ (instancetype)newWithComponent:(CKComponent *)component;
@end
