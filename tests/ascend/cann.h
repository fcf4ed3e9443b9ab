/* CANN's C interface as far as the rule program uses it: names, types and values as published. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct aclTensor aclTensor;
typedef struct aclScalar aclScalar;
typedef struct aclIntArray aclIntArray;
typedef struct aclTensorList aclTensorList;
typedef struct aclOpExecutor aclOpExecutor;
typedef int aclError;
typedef int32_t aclnnStatus;
typedef void *aclrtStream;
typedef void *aclrtEvent;
typedef void *aclrtContext;
typedef void (*aclrtCallback)(void *);

enum { ACL_FLOAT = 0, ACL_FLOAT16 = 1, ACL_INT32 = 3, ACL_INT64 = 9, ACL_UINT64 = 10, ACL_BOOL = 12 };
enum { ACL_FORMAT_NCHW = 0, ACL_FORMAT_ND = 2 };
enum { H2H = 0, H2D = 1, D2H = 2, D2D = 3 };
enum { ACL_EVENT_SYNC = 1, ACL_EVENT_TIME_LINE = 8 };

aclError aclInit(const char *);
aclError aclFinalize(void);
const char *aclGetRecentErrMsg(void);
aclError aclrtSetDevice(int32_t);
aclError aclrtGetDevice(int32_t *);
aclError aclrtResetDevice(int32_t);
aclError aclrtGetDeviceCount(uint32_t *);
aclError aclrtSynchronizeDevice(void);
aclError aclrtGetCurrentContext(aclrtContext *);
aclError aclrtSetCurrentContext(aclrtContext);
aclError aclrtDeviceEnablePeerAccess(int32_t, uint32_t);
aclError aclrtMalloc(void **, size_t, int);
aclError aclrtFree(void *);
aclError aclrtMallocHost(void **, size_t);
aclError aclrtFreeHost(void *);
aclError aclrtMemcpy(void *, size_t, const void *, size_t, int);
aclError aclrtMemcpyAsync(void *, size_t, const void *, size_t, int, aclrtStream);
aclError aclrtMemcpy2d(void *, size_t, const void *, size_t, size_t, size_t, int);
aclError aclrtMemcpy2dAsync(void *, size_t, const void *, size_t, size_t, size_t, int, aclrtStream);
aclError aclrtMemset(void *, size_t, int32_t, size_t);
aclError aclrtMemsetAsync(void *, size_t, int32_t, size_t, aclrtStream);
aclError aclrtGetMemInfo(int, size_t *, size_t *);
aclError aclrtCreateStream(aclrtStream *);
aclError aclrtDestroyStream(aclrtStream);
aclError aclrtStreamQuery(aclrtStream, int *);
aclError aclrtSynchronizeStream(aclrtStream);
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream, int32_t);
aclError aclrtStreamWaitEvent(aclrtStream, aclrtEvent);
aclError aclrtCreateEventExWithFlag(aclrtEvent *, uint32_t);
aclError aclrtCreateEventWithFlag(aclrtEvent *, uint32_t);
aclError aclrtDestroyEvent(aclrtEvent);
aclError aclrtRecordEvent(aclrtEvent, aclrtStream);
aclError aclrtResetEvent(aclrtEvent, aclrtStream);
aclError aclrtQueryEventStatus(aclrtEvent, int *);
aclError aclrtSynchronizeEvent(aclrtEvent);
aclError aclrtSynchronizeEventWithTimeout(aclrtEvent, int32_t);
aclError aclrtEventElapsedTime(float *, aclrtEvent, aclrtEvent);
aclError aclrtLaunchHostFunc(aclrtStream, aclrtCallback, void *);
aclError aclrtLaunchCallback(aclrtCallback, void *, int, aclrtStream);
aclError aclrtSubscribeReport(uint64_t, aclrtStream);
aclError aclrtUnSubscribeReport(uint64_t, aclrtStream);
aclError aclrtProcessReport(int32_t);

aclTensor *aclCreateTensor(const int64_t *, uint64_t, int, const int64_t *, int64_t, int, const int64_t *, uint64_t, void *);
aclnnStatus aclDestroyTensor(const aclTensor *);
aclScalar *aclCreateScalar(void *, int);
aclnnStatus aclDestroyScalar(const aclScalar *);
aclTensorList *aclCreateTensorList(const aclTensor *const *, uint64_t);
aclnnStatus aclDestroyTensorList(const aclTensorList *);
aclnnStatus aclGetViewShape(const aclTensor *, int64_t **, uint64_t *);
aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *);
aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *);
aclnnStatus aclSetInputTensorAddr(aclOpExecutor *, const size_t, aclTensor *, void *);
aclnnStatus aclSetOutputTensorAddr(aclOpExecutor *, const size_t, aclTensor *, void *);
aclnnStatus aclSetTensorAddr(aclOpExecutor *, const size_t, aclTensor *, void *);
aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor *, size_t, const size_t, aclTensorList *, void *);
aclnnStatus aclSetRawTensorAddr(aclTensor *, void *);

aclnnStatus aclnnAddGetWorkspaceSize(const aclTensor *, const aclTensor *, const aclScalar *, aclTensor *, uint64_t *, aclOpExecutor **);
aclnnStatus aclnnAdd(void *, uint64_t, aclOpExecutor *, aclrtStream);
aclnnStatus aclnnInplaceCopyGetWorkspaceSize(aclTensor *, const aclTensor *, uint64_t *, aclOpExecutor **);
aclnnStatus aclnnInplaceCopy(void *, uint64_t, aclOpExecutor *, aclrtStream);
aclnnStatus aclnnInplaceFillScalarGetWorkspaceSize(aclTensor *, const aclScalar *, uint64_t *, aclOpExecutor **);
aclnnStatus aclnnInplaceFillScalar(void *, uint64_t, aclOpExecutor *, aclrtStream);
aclnnStatus aclnnIsInfGetWorkspaceSize(const aclTensor *, const aclTensor *, uint64_t *, aclOpExecutor **);
aclnnStatus aclnnCatGetWorkspaceSize(const aclTensorList *, int64_t, aclTensor *, uint64_t *, aclOpExecutor **);
aclnnStatus aclnnCat(void *, uint64_t, aclOpExecutor *, aclrtStream);
aclnnStatus aclnnNonzeroGetWorkspaceSize(const aclTensor *, aclTensor *, uint64_t *, aclOpExecutor **);
aclnnStatus aclnnNonzero(void *, uint64_t, aclOpExecutor *, aclrtStream);
aclnnStatus aclnnUnique2GetWorkspaceSize(const aclTensor *, bool, bool, bool, aclTensor *, aclTensor *, aclTensor *, uint64_t *,
                                         aclOpExecutor **);
aclnnStatus aclnnIndexSelectGetWorkspaceSize(const aclTensor *, int64_t, const aclTensor *, aclTensor *, uint64_t *, aclOpExecutor **);
aclnnStatus aclnnIndexSelect(void *, uint64_t, aclOpExecutor *, aclrtStream);
