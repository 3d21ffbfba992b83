/* FMI 2.0, model exchange: h' = v, v' = u - 9.81; where h falls through 0, v = -e v and n counts; at t = 0.3, 0.6, … m counts.
   "early" asks for an event in every step, which changes nothing. Written from the text of the standard. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    void (*logger)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, int);
    void *environment;
} callbacks;
typedef struct {
    double t, h, v, u, e;
    int n, m, early, mode;
} ball;
typedef struct {
    int again, terminate, nominals, values, defined;
    double next;
} event_info;

enum { OK = 0, FAILED = 3, EVENT = 1, CONTINUOUS = 2 };

const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }
int fmi2SetDebugLogging(void *c, int on, size_t n, const char *const *names) { return (void)c, (void)on, (void)n, (void)names, OK; }
void *fmi2Instantiate(const char *name, int kind, const char *guid, const char *place, const callbacks *calls, int visible, int log) {
    (void)name, (void)place, (void)calls, (void)visible, (void)log;
    if (kind != 0 || strcmp(guid, "ball-1")) return NULL;
    ball *b = calloc(1, sizeof *b);
    b->h = 1, b->e = 0.5;
    return b;
}
void fmi2FreeInstance(void *c) { free(c); }
int fmi2SetupExperiment(void *c, int has, double tolerance, double t, int stops, double end) { return (void)has, (void)tolerance, (void)stops, (void)end, ((ball *)c)->t = t, OK; }
int fmi2EnterInitializationMode(void *c) { return (void)c, OK; }
int fmi2ExitInitializationMode(void *c) { return ((ball *)c)->mode = EVENT, OK; }
int fmi2Terminate(void *c) { return (void)c, OK; }
int fmi2Reset(void *c) { return (void)c, FAILED; }
int fmi2GetReal(void *c, const unsigned *r, size_t n, double *v) {
    ball *b = c;
    for (size_t k = 0; k < n; k++) v[k] = r[k] == 0 ? b->h : r[k] == 1 ? b->v : r[k] == 2 ? b->v : r[k] == 3 ? b->u - 9.81 : r[k] == 4 ? b->u : b->e;
    return OK;
}
int fmi2SetReal(void *c, const unsigned *r, size_t n, const double *v) {
    ball *b = c;
    for (size_t k = 0; k < n; k++)
        if (r[k] == 0) b->h = v[k];
        else if (r[k] == 1) b->v = v[k];
        else if (r[k] == 4) b->u = v[k];
        else if (r[k] == 5) b->e = v[k];
        else return FAILED;
    return b->mode == CONTINUOUS ? FAILED : OK; /* what jumps is set in event mode */
}
int fmi2GetInteger(void *c, const unsigned *r, size_t n, int *v) { for (size_t k = 0; k < n; k++) v[k] = r[k] ? ((ball *)c)->m : ((ball *)c)->n; return OK; }
int fmi2SetInteger(void *c, const unsigned *r, size_t n, const int *v) { return (void)c, (void)r, (void)n, (void)v, FAILED; }
int fmi2GetBoolean(void *c, const unsigned *r, size_t n, int *v) { for (size_t k = 0; k < n; k++) v[k] = ((ball *)c)->early; return (void)r, OK; }
int fmi2SetBoolean(void *c, const unsigned *r, size_t n, const int *v) { for (size_t k = 0; k < n; k++) ((ball *)c)->early = v[k]; return (void)r, OK; }
int fmi2GetString(void *c, const unsigned *r, size_t n, const char **v) { return (void)c, (void)r, (void)n, (void)v, FAILED; }
int fmi2SetString(void *c, const unsigned *r, size_t n, const char *const *v) { return (void)c, (void)r, (void)n, (void)v, FAILED; }
int fmi2GetFMUstate(void *c, void **s) { if (!*s) *s = malloc(sizeof(ball)); return *(ball *)*s = *(ball *)c, OK; }
int fmi2SetFMUstate(void *c, void *s) { return *(ball *)c = *(ball *)s, OK; }
int fmi2FreeFMUstate(void *c, void **s) { return (void)c, free(*s), *s = NULL, OK; }
int fmi2SerializedFMUstateSize(void *c, void *s, size_t *n) { return (void)c, (void)s, (void)n, FAILED; }
int fmi2SerializeFMUstate(void *c, void *s, char *b, size_t n) { return (void)c, (void)s, (void)b, (void)n, FAILED; }
int fmi2DeSerializeFMUstate(void *c, const char *b, size_t n, void **s) { return (void)c, (void)s, (void)b, (void)n, FAILED; }
int fmi2GetDirectionalDerivative(void *c, const unsigned *a, size_t n, const unsigned *b, size_t m, const double *d, double *e) { return (void)c, (void)a, (void)n, (void)b, (void)m, (void)d, (void)e, FAILED; }

int fmi2EnterEventMode(void *c) { return ((ball *)c)->mode = EVENT, OK; }
int fmi2NewDiscreteStates(void *c, event_info *info) {
    ball *b = c;
    memset(info, 0, sizeof *info);
    if (b->mode != EVENT) return FAILED;
    if (b->t >= 0.3 * (b->m + 1) - 1e-12) b->m++, info->again = 1;
    if (b->h <= 0 && b->v < 0) b->v = -b->e * b->v, b->n++, info->values = 1;
    info->defined = 1;
    info->next = 0.3 * (b->m + 1);
    return OK;
}
int fmi2EnterContinuousTimeMode(void *c) { return ((ball *)c)->mode = CONTINUOUS, OK; }
int fmi2CompletedIntegratorStep(void *c, int kept, int *event, int *terminate) {
    (void)kept;
    *event = ((ball *)c)->early;
    *terminate = ((ball *)c)->h > 100;
    return OK;
}
int fmi2SetTime(void *c, double t) { return ((ball *)c)->t = t, OK; }
int fmi2SetContinuousStates(void *c, const double *x, size_t n) { ball *b = c; return b->h = x[0], b->v = x[1], n == 2 ? OK : FAILED; }
int fmi2GetDerivatives(void *c, double *x, size_t n) { ball *b = c; return x[0] = b->v, x[1] = b->u < -1000 ? NAN : b->u - 9.81, n == 2 ? OK : FAILED; }
int fmi2GetEventIndicators(void *c, double *g, size_t n) { return g[0] = ((ball *)c)->h, n == 1 ? OK : FAILED; }
int fmi2GetContinuousStates(void *c, double *x, size_t n) { ball *b = c; return x[0] = b->h, x[1] = b->v, n == 2 ? OK : FAILED; }
int fmi2GetNominalsOfContinuousStates(void *c, double *x, size_t n) { return (void)c, x[0] = x[1] = 1, n == 2 ? OK : FAILED; }
