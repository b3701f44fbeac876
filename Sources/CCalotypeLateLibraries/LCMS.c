#ifdef __linux__
#include "Late.h"

#include <lcms2.h>

#define LCMS(...) LATE_BY_TYPES("liblcms2.so.2", __VA_ARGS__)

LCMS(cmsToneCurve *, cmsBuildGamma, cmsContext, cmsFloat64Number)
LCMS(cmsToneCurve *, cmsBuildParametricToneCurve, cmsContext, cmsInt32Number, const cmsFloat64Number *)
LCMS(cmsToneCurve *, cmsBuildTabulatedToneCurveFloat, cmsContext, cmsUInt32Number, const cmsFloat32Number *)
LCMS(cmsBool, cmsCloseProfile, cmsHPROFILE)
LCMS(cmsHPROFILE, cmsCreateGrayProfile, const cmsCIExyY *, const cmsToneCurve *)
LCMS(cmsHPROFILE, cmsCreateRGBProfile, const cmsCIExyY *, const cmsCIExyYTRIPLE *, cmsToneCurve *const *)
LCMS(
    cmsHTRANSFORM, cmsCreateTransform, cmsHPROFILE, cmsUInt32Number, cmsHPROFILE, cmsUInt32Number, cmsUInt32Number,
    cmsUInt32Number)
LCMS(cmsHPROFILE, cmsCreate_sRGBProfile)
LCMS(const cmsCIExyY *, cmsD50_xyY)
LCMS(void, cmsDeleteTransform, cmsHTRANSFORM)
LCMS(void, cmsDoTransform, cmsHTRANSFORM, const void *, void *, cmsUInt32Number)
LCMS(void, cmsFreeToneCurve, cmsToneCurve *)
LCMS(cmsColorSpaceSignature, cmsGetColorSpace, cmsHPROFILE)
LCMS(cmsUInt32Number, cmsGetProfileInfo, cmsHPROFILE, cmsInfoType, const char *, const char *, wchar_t *, cmsUInt32Number)
LCMS(cmsHPROFILE, cmsOpenProfileFromMem, const void *, cmsUInt32Number)
LCMS(cmsBool, cmsSaveProfileToMem, cmsHPROFILE, void *, cmsUInt32Number *)
#endif
