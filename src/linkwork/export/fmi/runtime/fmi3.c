/* The model as FMI 3.0 sees it: the types and functions of that standard, as far as a model of real numbers has them. */
#include "fmi_export.h"
#include "instance.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef void *fmi3Instance, *fmi3InstanceEnvironment, *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8, fmi3Byte;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean, fmi3Clock;
typedef const char *fmi3String;
typedef const fmi3Byte *fmi3Binary;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef int fmi3IntervalQualifier, fmi3DependencyKind;
typedef void (*fmi3Logger)(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message);

/* The importer's function for messages: a pointer to a function has no place in a pointer to data. */
typedef struct {
    fmi3Logger log;
} listener;

static fmi3Status told(fmu_instance *self, fmu_status status)
{
    const listener *to = self->logger;
    if (status > FMU_WARNING && to && to->log)
        to->log(self->environment, (fmi3Status)status, status == FMU_ERROR ? "logStatusError" : "logStatusDiscard",
                self->message);
    return (fmi3Status)status;
}

static fmi3Instance instantiated(fmi3String token, fmi3InstanceEnvironment environment, fmi3Logger log)
{
    if (!token || strcmp(token, fmu_model_data.token)) {
        if (log) log(environment, fmi3Error, "logStatusError", "The instantiation token is that of another model.");
        return NULL;
    }
    fmu_instance *self = fmu_create();
    listener *to = malloc(sizeof *to);
    if (!self || !to) {
        free(to);
        fmu_destroy(self);
        return NULL;
    }
    to->log = log;
    self->logger = to;
    self->environment = environment;
    return self;
}

FMI_EXPORT const char *fmi3GetVersion(void) { return "3.0"; }
FMI_EXPORT fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t count, const fmi3String categories[])
{
    (void)c, (void)on, (void)count, (void)categories;
    return fmi3OK;
}

FMI_EXPORT fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                                     fmi3Boolean visible, fmi3Boolean logging,
                                                     fmi3InstanceEnvironment environment, fmi3Logger log)
{
    (void)name, (void)resources, (void)visible, (void)logging;
    return instantiated(token, environment, log);
}

FMI_EXPORT fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                                    fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean events,
                                                    fmi3Boolean early, const fmi3ValueReference required[], size_t count,
                                                    fmi3InstanceEnvironment environment, fmi3Logger log,
                                                    void (*intermediate)(void))
{
    (void)name, (void)resources, (void)visible, (void)logging, (void)events, (void)early, (void)required;
    (void)count, (void)intermediate;
    return instantiated(token, environment, log);
}

FMI_EXPORT fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                                          fmi3Boolean visible, fmi3Boolean logging,
                                                          fmi3InstanceEnvironment environment, fmi3Logger log,
                                                          void (*clock)(void), void (*lock)(void), void (*unlock)(void))
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)clock, (void)lock, (void)unlock;
    if (log) log(environment, fmi3Error, "logStatusError", "There is no scheduled execution of this model.");
    return NULL;
}

FMI_EXPORT void fmi3FreeInstance(fmi3Instance c)
{
    fmu_instance *self = c;
    if (!self) return;
    free(self->logger);
    fmu_destroy(self);
}

FMI_EXPORT fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean tolerant, fmi3Float64 tolerance,
                                                  fmi3Float64 start, fmi3Boolean ends, fmi3Float64 stop)
{
    (void)ends, (void)stop;
    return told(c, fmu_start(c, start, tolerant ? tolerance : 0.0));
}

FMI_EXPORT fmi3Status fmi3ExitInitializationMode(fmi3Instance c) { return told(c, fmu_initialized(c)); }
FMI_EXPORT fmi3Status fmi3EnterEventMode(fmi3Instance c) { return c ? fmi3OK : fmi3Error; }
FMI_EXPORT fmi3Status fmi3Terminate(fmi3Instance c) { return c ? fmi3OK : fmi3Error; }
FMI_EXPORT fmi3Status fmi3Reset(fmi3Instance c)
{
    fmu_reset(c);
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Float64 value[],
                                     size_t values)
{
    fmu_status status = FMU_OK;
    if (count != values) return fmi3Error;
    for (size_t i = 0; i < count && status == FMU_OK; i++) status = fmu_get(c, vr[i], value + i);
    return told(c, status);
}

FMI_EXPORT fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t count,
                                     const fmi3Float64 value[], size_t values)
{
    fmu_status status = FMU_OK;
    if (count != values) return fmi3Error;
    for (size_t i = 0; i < count && status == FMU_OK; i++) status = fmu_set(c, vr[i], value[i]);
    return told(c, status);
}

/* There are variables of no other type, no clocks and no structure to configure. */
#define NONE(function, count, ...)                                                                                     \
    FMI_EXPORT fmi3Status function(__VA_ARGS__) { return count ? fmi3Error : fmi3OK; }
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#define REFERENCES fmi3Instance c, const fmi3ValueReference vr[], size_t count
#define OTHER_TYPE(name)                                                                                               \
    NONE(fmi3Get##name, count, REFERENCES, fmi3##name value[], size_t values)                                          \
    NONE(fmi3Set##name, count, REFERENCES, fmi3##name const value[], size_t values)
OTHER_TYPE(Float32)
OTHER_TYPE(Int8)
OTHER_TYPE(UInt8)
OTHER_TYPE(Int16)
OTHER_TYPE(UInt16)
OTHER_TYPE(Int32)
OTHER_TYPE(UInt32)
OTHER_TYPE(Int64)
OTHER_TYPE(UInt64)
OTHER_TYPE(Boolean)
OTHER_TYPE(String)
NONE(fmi3GetBinary, count, REFERENCES, size_t sizes[], fmi3Binary value[], size_t values)
NONE(fmi3SetBinary, count, REFERENCES, const size_t sizes[], const fmi3Binary value[], size_t values)
NONE(fmi3GetClock, count, REFERENCES, fmi3Clock value[])
NONE(fmi3SetClock, count, REFERENCES, const fmi3Clock value[])
NONE(fmi3GetIntervalDecimal, count, REFERENCES, fmi3Float64 interval[], fmi3IntervalQualifier qualifier[])
NONE(fmi3GetIntervalFraction, count, REFERENCES, fmi3UInt64 counter[], fmi3UInt64 resolution[],
     fmi3IntervalQualifier qualifier[])
NONE(fmi3GetShiftDecimal, count, REFERENCES, fmi3Float64 shift[])
NONE(fmi3GetShiftFraction, count, REFERENCES, fmi3UInt64 counter[], fmi3UInt64 resolution[])
NONE(fmi3SetIntervalDecimal, count, REFERENCES, const fmi3Float64 interval[])
NONE(fmi3SetIntervalFraction, count, REFERENCES, const fmi3UInt64 counter[], const fmi3UInt64 resolution[])
NONE(fmi3SetShiftDecimal, count, REFERENCES, const fmi3Float64 shift[])
NONE(fmi3SetShiftFraction, count, REFERENCES, const fmi3UInt64 counter[], const fmi3UInt64 resolution[])
NONE(fmi3GetOutputDerivatives, count, REFERENCES, const fmi3Int32 order[], fmi3Float64 value[], size_t values)
NONE(fmi3GetAdjointDerivative, 1, fmi3Instance c, const fmi3ValueReference unknown[], size_t unknowns,
     const fmi3ValueReference known[], size_t knowns, const fmi3Float64 seed[], size_t seeds, fmi3Float64 sensitivity[],
     size_t sensitivities)
NONE(fmi3GetNumberOfVariableDependencies, 1, fmi3Instance c, fmi3ValueReference vr, size_t *count)
NONE(fmi3GetVariableDependencies, 1, fmi3Instance c, fmi3ValueReference dependent, size_t of[],
     fmi3ValueReference independent[], size_t by[], fmi3DependencyKind kind[], size_t count)
NONE(fmi3EnterConfigurationMode, 1, fmi3Instance c)
NONE(fmi3ExitConfigurationMode, 1, fmi3Instance c)
NONE(fmi3EvaluateDiscreteStates, 0, fmi3Instance c)
NONE(fmi3ActivateModelPartition, 1, fmi3Instance c, fmi3ValueReference clock, fmi3Float64 time)
NONE(fmi3EnterStepMode, 0, fmi3Instance c)
NONE(fmi3EnterContinuousTimeMode, 0, fmi3Instance c)

/* All that changes is one piece of memory. */
FMI_EXPORT fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state)
{
    fmu_instance *self = c;
    size_t bytes = self->memory_count * sizeof(double);
    if (!*state) *state = malloc(bytes);
    if (!*state) return fmi3Error;
    memcpy(*state, self->memory, bytes);
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state)
{
    fmu_instance *self = c;
    if (!state) return fmi3Error;
    memcpy(self->memory, state, self->memory_count * sizeof(double));
    memset(self->known, 0, sizeof self->known);
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state)
{
    if (state) {
        free(*state);
        *state = NULL;
    }
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size)
{
    *size = ((fmu_instance *)c)->memory_count * sizeof(double);
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    if (!state || size != ((fmu_instance *)c)->memory_count * sizeof(double)) return fmi3Error;
    memcpy(bytes, state, size);
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
{
    if (size != ((fmu_instance *)c)->memory_count * sizeof(double)) return fmi3Error;
    if (!*state) *state = malloc(size);
    if (!*state) return fmi3Error;
    memcpy(*state, bytes, size);
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknown[], size_t unknowns,
                                                   const fmi3ValueReference known[], size_t knowns,
                                                   const fmi3Float64 seed[], size_t seeds, fmi3Float64 sensitivity[],
                                                   size_t sensitivities)
{
    if (seeds != knowns || sensitivities != unknowns) return fmi3Error;
    return told(c, fmu_directional(c, unknown, unknowns, known, knowns, seed, sensitivity));
}

FMI_EXPORT fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *again, fmi3Boolean *terminate,
                                               fmi3Boolean *nominals, fmi3Boolean *values, fmi3Boolean *defined,
                                               fmi3Float64 *when)
{
    int changed = 0, ended = 0;
    fmi3Status status = told(c, fmu_update(c, &changed, &ended));
    double next = fmu_next(c);
    *again = *nominals = false;
    *terminate = ended != 0;
    *values = changed != 0;
    *defined = isfinite(next) != 0;
    *when = isfinite(next) ? next : 0.0;
    return status;
}

/* Model exchange ---------------------------------------------------------------------------------------------------- */

FMI_EXPORT fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean kept, fmi3Boolean *event, fmi3Boolean *ended)
{
    int due = 0, over = 0;
    fmi3Status status = told(c, fmu_completed(c, &due, &over));
    *event = due != 0;
    *ended = over != 0;
    return status;
}

FMI_EXPORT fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time)
{
    fmu_set_time(c, time);
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 y[], size_t count)
{
    if (count != (size_t)((fmu_instance *)c)->n) return fmi3Error;
    fmu_set_states(c, y);
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 rate[], size_t count)
{
    return count == (size_t)((fmu_instance *)c)->n ? told(c, fmu_rates(c, rate)) : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 g[], size_t count)
{
    return count == (size_t)fmu_model_data.events ? told(c, fmu_indicators(c, g)) : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 y[], size_t count)
{
    fmu_instance *self = c;
    if (count != (size_t)self->n) return fmi3Error;
    memcpy(y, self->y, count * sizeof(double));
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 nominal[], size_t count)
{
    if (count != (size_t)((fmu_instance *)c)->n) return fmi3Error;
    memcpy(nominal, fmu_model_data.nominal, count * sizeof(double));
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *count)
{
    *count = (size_t)fmu_model_data.events;
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *count)
{
    *count = (size_t)((fmu_instance *)c)->n;
    return fmi3OK;
}

/* Co-simulation ----------------------------------------------------------------------------------------------------- */

FMI_EXPORT fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean kept, fmi3Boolean *event,
                                 fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *last)
{
    fmu_instance *self = c;
    fmi3Status status = told(c, fmu_step(c, t, h));
    *event = *early = false;
    *terminate = *self->ended != 0;
    *last = *self->t;
    return status;
}
