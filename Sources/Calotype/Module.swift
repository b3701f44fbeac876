internal import ImageCore
