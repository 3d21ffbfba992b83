/* The model as FMI 2.0 sees it: the types and functions of that standard, as far as a model of real numbers has them. */
#include "fmi_export.h"
#include "instance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef void *fmi2Component, *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer, fmi2Boolean, fmi2Status, fmi2StatusKind, fmi2Type;
typedef const char *fmi2String;
typedef char fmi2Byte;
enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal };
enum { fmi2LastSuccessfulTime = 2, fmi2Terminated = 3 };

typedef struct {
    void (*logger)(void *environment, fmi2String instance, fmi2Status status, fmi2String category, fmi2String message, ...);
    void *(*allocateMemory)(size_t count, size_t size);
    void (*freeMemory)(void *memory);
    void (*stepFinished)(void *environment, fmi2Status status);
    void *environment;
} fmi2CallbackFunctions;

typedef struct {
    fmi2Boolean newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged;
    fmi2Boolean valuesOfContinuousStatesChanged, nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;

static fmi2Status told(fmu_instance *self, fmu_status status)
{
    const fmi2CallbackFunctions *of = self->logger;
    if (status > FMU_WARNING && of && of->logger)
        of->logger(of->environment, self->label, status, status == FMU_ERROR ? "logStatusError" : "logStatusDiscard",
                   "%s", self->message);
    return status;
}

FMI_EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
FMI_EXPORT const char *fmi2GetVersion(void) { return "2.0"; }
FMI_EXPORT fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t count, const fmi2String categories[])
{
    (void)c, (void)on, (void)count, (void)categories;
    return fmi2OK;
}

FMI_EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                                         const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)type, (void)resources, (void)visible, (void)logging;
    if (!guid || strcmp(guid, fmu_model_data.token)) {
        if (functions && functions->logger)
            functions->logger(functions->environment, name, fmi2Error, "logStatusError", "%s",
                              "The GUID is that of another model.");
        return NULL;
    }
    fmu_instance *self = fmu_create();
    if (!self) return NULL;
    size_t length = name ? strlen(name) : 0;
    fmi2CallbackFunctions *kept = malloc(sizeof *kept);
    self->label = calloc(length + 1, 1);
    if (!kept || !self->label) {
        free(kept);
        fmu_destroy(self);
        return NULL;
    }
    if (length) memcpy(self->label, name, length);
    if (functions) *kept = *functions;
    else memset(kept, 0, sizeof *kept);
    self->logger = kept;
    return self;
}

FMI_EXPORT void fmi2FreeInstance(fmi2Component c)
{
    fmu_instance *self = c;
    if (!self) return;
    free(self->logger);
    fmu_destroy(self);
}

FMI_EXPORT fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerant, fmi2Real tolerance, fmi2Real start,
                                          fmi2Boolean ends, fmi2Real stop)
{
    (void)ends, (void)stop;
    return told(c, fmu_start(c, start, tolerant ? tolerance : 0.0));
}

FMI_EXPORT fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
FMI_EXPORT fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return told(c, fmu_initialized(c)); }
FMI_EXPORT fmi2Status fmi2Terminate(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
FMI_EXPORT fmi2Status fmi2Reset(fmi2Component c)
{
    fmu_reset(c);
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Real value[])
{
    fmu_status status = FMU_OK;
    for (size_t i = 0; i < count && status == FMU_OK; i++) status = fmu_get(c, vr[i], value + i);
    return told(c, status);
}

FMI_EXPORT fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2Real value[])
{
    fmu_status status = FMU_OK;
    for (size_t i = 0; i < count && status == FMU_OK; i++) status = fmu_set(c, vr[i], value[i]);
    return told(c, status);
}

/* There are variables of no other type. */
#define OTHER_TYPE(name, type)                                                                                         \
    FMI_EXPORT fmi2Status fmi2Get##name(fmi2Component c, const fmi2ValueReference vr[], size_t count, type value[])    \
    {                                                                                                                  \
        (void)c, (void)vr, (void)value;                                                                                \
        return count ? fmi2Error : fmi2OK;                                                                             \
    }                                                                                                                  \
    FMI_EXPORT fmi2Status fmi2Set##name(fmi2Component c, const fmi2ValueReference vr[], size_t count, type const value[]) \
    {                                                                                                                  \
        (void)c, (void)vr, (void)value;                                                                                \
        return count ? fmi2Error : fmi2OK;                                                                             \
    }
OTHER_TYPE(Integer, fmi2Integer)
OTHER_TYPE(Boolean, fmi2Boolean)
OTHER_TYPE(String, fmi2String)

/* All that changes is one piece of memory. */
FMI_EXPORT fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    fmu_instance *self = c;
    size_t bytes = self->memory_count * sizeof(double);
    if (!*state) *state = malloc(bytes);
    if (!*state) return fmi2Error;
    memcpy(*state, self->memory, bytes);
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    fmu_instance *self = c;
    if (!state) return fmi2Error;
    memcpy(self->memory, state, self->memory_count * sizeof(double));
    memset(self->known, 0, sizeof self->known);
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    (void)c;
    if (state) {
        free(*state);
        *state = NULL;
    }
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    (void)state;
    *size = ((fmu_instance *)c)->memory_count * sizeof(double);
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    if (!state || size != ((fmu_instance *)c)->memory_count * sizeof(double)) return fmi2Error;
    memcpy(bytes, state, size);
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    if (size != ((fmu_instance *)c)->memory_count * sizeof(double)) return fmi2Error;
    if (!*state) *state = malloc(size);
    if (!*state) return fmi2Error;
    memcpy(*state, bytes, size);
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t unknowns,
                                                   const fmi2ValueReference known[], size_t knowns,
                                                   const fmi2Real seed[], fmi2Real sensitivity[])
{
    return told(c, fmu_directional(c, unknown, unknowns, known, knowns, seed, sensitivity));
}

/* Model exchange ---------------------------------------------------------------------------------------------------- */

FMI_EXPORT fmi2Status fmi2EnterEventMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
FMI_EXPORT fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }

FMI_EXPORT fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info)
{
    int changed = 0, ended = 0;
    fmi2Status status = told(c, fmu_update(c, &changed, &ended));
    double next = fmu_next(c);
    memset(info, 0, sizeof *info);
    info->terminateSimulation = ended;
    info->valuesOfContinuousStatesChanged = changed;
    info->nextEventTimeDefined = isfinite(next) != 0;
    info->nextEventTime = isfinite(next) ? next : 0.0;
    return status;
}

FMI_EXPORT fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean kept, fmi2Boolean *event, fmi2Boolean *ended)
{
    (void)kept;
    return told(c, fmu_completed(c, event, ended));
}

FMI_EXPORT fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time)
{
    fmu_set_time(c, time);
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real y[], size_t count)
{
    if (count != (size_t)((fmu_instance *)c)->n) return fmi2Error;
    fmu_set_states(c, y);
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real rate[], size_t count)
{
    return count == (size_t)((fmu_instance *)c)->n ? told(c, fmu_rates(c, rate)) : fmi2Error;
}

FMI_EXPORT fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real g[], size_t count)
{
    return count == (size_t)fmu_model_data.events ? told(c, fmu_indicators(c, g)) : fmi2Error;
}

FMI_EXPORT fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real y[], size_t count)
{
    fmu_instance *self = c;
    if (count != (size_t)self->n) return fmi2Error;
    memcpy(y, self->y, count * sizeof(double));
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real nominal[], size_t count)
{
    if (count != (size_t)((fmu_instance *)c)->n) return fmi2Error;
    memcpy(nominal, fmu_model_data.nominal, count * sizeof(double));
    return fmi2OK;
}

/* Co-simulation ----------------------------------------------------------------------------------------------------- */

FMI_EXPORT fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t count,
                                                  const fmi2Integer order[], const fmi2Real value[])
{
    (void)c, (void)vr, (void)order, (void)value;
    return count ? fmi2Error : fmi2OK;
}

FMI_EXPORT fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t count,
                                                   const fmi2Integer order[], fmi2Real value[])
{
    (void)c, (void)vr, (void)order, (void)value;
    return count ? fmi2Error : fmi2OK;
}

FMI_EXPORT fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean kept)
{
    (void)kept;
    fmi2Status status = told(c, fmu_step(c, t, h));
    return status == fmi2OK && *((fmu_instance *)c)->ended != 0 ? fmi2Discard : status;
}

FMI_EXPORT fmi2Status fmi2CancelStep(fmi2Component c)
{
    (void)c;
    return fmi2Error;
}

FMI_EXPORT fmi2Status fmi2GetRealStatus(fmi2Component c, fmi2StatusKind kind, fmi2Real *value)
{
    if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
    *value = *((fmu_instance *)c)->t;
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2GetBooleanStatus(fmi2Component c, fmi2StatusKind kind, fmi2Boolean *value)
{
    if (kind != fmi2Terminated) return fmi2Discard;
    *value = *((fmu_instance *)c)->ended != 0;
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2GetStatus(fmi2Component c, fmi2StatusKind kind, fmi2Status *value)
{
    (void)c, (void)kind, (void)value;
    return fmi2Discard;
}

FMI_EXPORT fmi2Status fmi2GetIntegerStatus(fmi2Component c, fmi2StatusKind kind, fmi2Integer *value)
{
    (void)c, (void)kind, (void)value;
    return fmi2Discard;
}

FMI_EXPORT fmi2Status fmi2GetStringStatus(fmi2Component c, fmi2StatusKind kind, fmi2String *value)
{
    (void)c, (void)kind, (void)value;
    return fmi2Discard;
}
