/* FMI 2.0, co-simulation: T x' = gain u - x, solved exactly while u is held; y = x, z = x + u, n counts steps.
   u > 100 fails in the next step, u < -100 makes y no number. Written from the text of the standard. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef void (*logger_type)(void *, const char *, int, const char *, const char *, ...);
typedef struct {
    logger_type logger;
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, int);
    void *environment;
} callbacks;
typedef struct {
    double u, gain, T, x;
    int n, half;
    const callbacks *calls;
} lag;

enum { OK = 0, DISCARD = 2, FAILED = 3 };

const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }
int fmi2SetDebugLogging(void *c, int on, size_t n, const char *const *names) { return (void)c, (void)on, (void)n, (void)names, OK; }

void *fmi2Instantiate(const char *name, int kind, const char *guid, const char *place, const callbacks *calls, int visible, int log) {
    (void)name, (void)place, (void)visible, (void)log;
    if (kind != 1 || strcmp(guid, "lag-1")) return NULL;
    lag *c = calloc(1, sizeof *c);
    c->gain = 1, c->T = 0.1, c->calls = calls;
    return c;
}
void fmi2FreeInstance(void *c) { free(c); }
int fmi2SetupExperiment(void *c, int has, double tolerance, double t, int stops, double end) { return (void)c, (void)has, (void)tolerance, (void)t, (void)stops, (void)end, OK; }
int fmi2EnterInitializationMode(void *c) { return (void)c, OK; }
int fmi2ExitInitializationMode(void *c) { return (void)c, OK; }
int fmi2Terminate(void *c) { return (void)c, OK; }
int fmi2Reset(void *c) { lag *l = c; return l->x = 0, l->n = 0, OK; }

int fmi2GetReal(void *c, const unsigned *r, size_t n, double *v) {
    lag *l = c;
    for (size_t k = 0; k < n; k++)
        v[k] = r[k] == 0 ? l->u : r[k] == 1 ? (l->u < -100 ? NAN : l->x) : r[k] == 2 ? l->x + l->u : r[k] == 3 ? l->gain : l->T;
    return OK;
}
int fmi2SetReal(void *c, const unsigned *r, size_t n, const double *v) {
    lag *l = c;
    for (size_t k = 0; k < n; k++)
        if (r[k] == 0) l->u = v[k];
        else if (r[k] == 1) l->x = v[k];
        else if (r[k] == 3) l->gain = v[k];
        else if (r[k] == 4) l->T = v[k];
        else return FAILED;
    return OK;
}
int fmi2GetInteger(void *c, const unsigned *r, size_t n, int *v) { for (size_t k = 0; k < n; k++) v[k] = ((lag *)c)->n; return (void)r, OK; }
int fmi2SetInteger(void *c, const unsigned *r, size_t n, const int *v) { return (void)c, (void)r, (void)n, (void)v, FAILED; }
int fmi2GetBoolean(void *c, const unsigned *r, size_t n, int *v) { for (size_t k = 0; k < n; k++) v[k] = ((lag *)c)->half; return (void)r, OK; }
int fmi2SetBoolean(void *c, const unsigned *r, size_t n, const int *v) { for (size_t k = 0; k < n; k++) if (r[k] == 0) ((lag *)c)->half = v[k]; return OK; }
int fmi2GetString(void *c, const unsigned *r, size_t n, const char **v) { return (void)c, (void)r, (void)n, (void)v, FAILED; }
int fmi2SetString(void *c, const unsigned *r, size_t n, const char *const *v) { return (void)c, (void)r, (void)n, (void)v, FAILED; }

int fmi2GetFMUstate(void *c, void **s) { if (!*s) *s = malloc(sizeof(lag)); return *(lag *)*s = *(lag *)c, OK; }
int fmi2SetFMUstate(void *c, void *s) { return *(lag *)c = *(lag *)s, OK; }
int fmi2FreeFMUstate(void *c, void **s) { return (void)c, free(*s), *s = NULL, OK; }
int fmi2SerializedFMUstateSize(void *c, void *s, size_t *n) { return (void)c, (void)s, (void)n, FAILED; }
int fmi2SerializeFMUstate(void *c, void *s, char *b, size_t n) { return (void)c, (void)s, (void)b, (void)n, FAILED; }
int fmi2DeSerializeFMUstate(void *c, const char *b, size_t n, void **s) { return (void)c, (void)s, (void)b, (void)n, FAILED; }
int fmi2GetDirectionalDerivative(void *c, const unsigned *a, size_t n, const unsigned *b, size_t m, const double *d, double *e) { return (void)c, (void)a, (void)n, (void)b, (void)m, (void)d, (void)e, FAILED; }
int fmi2SetRealInputDerivatives(void *c, const unsigned *r, size_t n, const int *o, const double *v) { return (void)c, (void)r, (void)n, (void)o, (void)v, FAILED; }
int fmi2GetRealOutputDerivatives(void *c, const unsigned *r, size_t n, const int *o, double *v) { return (void)c, (void)r, (void)n, (void)o, (void)v, FAILED; }

int fmi2DoStep(void *c, double t, double h, int final) {
    lag *l = c;
    (void)t, (void)final;
    if (l->u > 100) {
        l->calls->logger(l->calls->environment, "lag", FAILED, "error", "u = %g is too much", l->u);
        return FAILED;
    }
    l->x += (l->gain * l->u * (l->half ? 0.5 : 1) - l->x) * -expm1(-h / l->T);
    l->n++;
    return OK;
}
int fmi2CancelStep(void *c) { return (void)c, FAILED; }
int fmi2GetStatus(void *c, int k, int *v) { return (void)c, (void)k, (void)v, DISCARD; }
int fmi2GetRealStatus(void *c, int k, double *v) { return (void)c, (void)k, (void)v, DISCARD; }
int fmi2GetIntegerStatus(void *c, int k, int *v) { return (void)c, (void)k, (void)v, DISCARD; }
int fmi2GetBooleanStatus(void *c, int k, int *v) { return (void)c, (void)k, (void)v, DISCARD; }
int fmi2GetStringStatus(void *c, int k, const char **v) { return (void)c, (void)k, (void)v, DISCARD; }
