/* Left-looking LU (Gilbert and Peierls 1988) with row scaling and threshold partial pivoting, for the SCALAR of the
 * includer, which also defines LU, NAME(f), ZERO, SIZE(a), SCALED(a, s), SUBTRACT_PRODUCT(x, a, b) and QUOTIENT(a, b).
 *
 * Column k of L holds original row numbers and has an implied 1 at pivot_row[k]; column k of U holds elimination
 * positions in the topological order in which the triangular solve met them, so that `again` can replay it. */

int NAME(create)(LU *lu, int n, const int *column_start, const int *row, const int *order)
{
    memset(lu, 0, sizeof *lu);
    size_t count = (size_t)(n ? n : 1);
    lu->n = n;
    lu->column_start = column_start;
    lu->row = row;
    lu->order = order;
    lu->l_room = lu->u_room = 4 * column_start[n] + n + 16;
    lu->l_start = calloc(count + 1, sizeof(int));
    lu->u_start = calloc(count + 1, sizeof(int));
    lu->l_row = calloc((size_t)lu->l_room, sizeof(int));
    lu->u_position = calloc((size_t)lu->u_room, sizeof(int));
    lu->l = calloc((size_t)lu->l_room, sizeof(SCALAR));
    lu->u = calloc((size_t)lu->u_room, sizeof(SCALAR));
    lu->pivot = calloc(count, sizeof(SCALAR));
    lu->x = calloc(2 * count, sizeof(SCALAR));
    lu->pivot_row = calloc(count, sizeof(int));
    lu->position = calloc(count, sizeof(int));
    lu->stack = calloc(count, sizeof(int));
    lu->progress = calloc(count, sizeof(int));
    lu->mark = calloc(count, sizeof(int));
    lu->row_scale = calloc(count, sizeof(double));
    if (lu->l_start && lu->u_start && lu->l_row && lu->u_position && lu->l && lu->u && lu->pivot && lu->x &&
        lu->pivot_row && lu->position && lu->stack && lu->progress && lu->mark && lu->row_scale)
        return 1;
    NAME(destroy)(lu);
    return 0;
}

void NAME(destroy)(LU *lu)
{
    void *all[] = {lu->l_start, lu->u_start, lu->l_row, lu->u_position, lu->l, lu->u, lu->pivot, lu->x,
                   lu->pivot_row, lu->position, lu->stack, lu->progress, lu->mark, lu->row_scale};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    memset(lu, 0, sizeof *lu);
}

/* Room for one more full column in each factor. */
static int NAME(reserve)(LU *lu, int l_used, int u_used)
{
    if (l_used + lu->n > lu->l_room) {
        lu->l_room = 2 * lu->l_room + lu->n;
        int *rows = realloc(lu->l_row, (size_t)lu->l_room * sizeof(int));
        if (rows) lu->l_row = rows;
        SCALAR *values = realloc(lu->l, (size_t)lu->l_room * sizeof(SCALAR));
        if (values) lu->l = values;
        if (!rows || !values) return 0;
    }
    if (u_used + lu->n > lu->u_room) {
        lu->u_room = 2 * lu->u_room + lu->n;
        int *rows = realloc(lu->u_position, (size_t)lu->u_room * sizeof(int));
        if (rows) lu->u_position = rows;
        SCALAR *values = realloc(lu->u, (size_t)lu->u_room * sizeof(SCALAR));
        if (values) lu->u = values;
        if (!rows || !values) return 0;
    }
    return 1;
}

/* Rows are scaled to a largest entry of 1, so that constraint rows and force rows can be compared as pivots. */
static void NAME(scale_rows)(LU *lu, const SCALAR *values)
{
    for (int i = 0; i < lu->n; i++) lu->row_scale[i] = 0;
    for (int k = 0; k < lu->column_start[lu->n]; k++) {
        double size = SIZE(values[k]);
        if (size > lu->row_scale[lu->row[k]]) lu->row_scale[lu->row[k]] = size;
    }
    for (int i = 0; i < lu->n; i++) lu->row_scale[i] = lu->row_scale[i] > 0 ? 1 / lu->row_scale[i] : 1;
}

/* Pushes the rows reachable from `row` through the columns of L found so far, in reverse topological order onto
 * stack[top..n); returns the new top. Rows not yet pivotal are pushed too. */
static int NAME(reach)(LU *lu, int row, int top)
{
    int head = 0;
    int *stack = lu->stack;
    stack[0] = row;
    lu->mark[row] = lu->stamp;
    lu->progress[0] = lu->position[row] >= 0 ? lu->l_start[lu->position[row]] : 0;
    while (head >= 0) {
        int current = stack[head], column = lu->position[current], deeper = 0;
        if (column >= 0) {
            int end = lu->l_start[column + 1];
            for (int k = lu->progress[head]; k < end; k++) {
                int next = lu->l_row[k];
                if (lu->mark[next] == lu->stamp) continue;
                lu->mark[next] = lu->stamp;
                lu->progress[head] = k + 1;
                head++;
                stack[head] = next;
                lu->progress[head] = lu->position[next] >= 0 ? lu->l_start[lu->position[next]] : 0;
                deeper = 1;
                break;
            }
        }
        if (!deeper) {
            head--;
            stack[--top] = current; /* the path below and the finished rows above never meet: together at most n */
        }
    }
    return top;
}

static void NAME(eliminate)(LU *lu, int column)
{
    SCALAR factor = lu->x[lu->pivot_row[column]];
    for (int k = lu->l_start[column]; k < lu->l_start[column + 1]; k++)
        SUBTRACT_PRODUCT(lu->x[lu->l_row[k]], lu->l[k], factor);
}

static void NAME(scatter)(LU *lu, const SCALAR *values, int column)
{
    for (int k = lu->column_start[column]; k < lu->column_start[column + 1]; k++)
        lu->x[lu->row[k]] = SCALED(values[k], lu->row_scale[lu->row[k]]);
}

static int NAME(afresh)(LU *lu, const SCALAR *values)
{
    int n = lu->n, l_used = 0, u_used = 0;
    for (int i = 0; i < n; i++) {
        lu->position[i] = -1;
        lu->x[i] = ZERO;
    }
    for (int k = 0; k < n; k++) {
        int column = lu->order[k], top = n;
        if (!NAME(reserve)(lu, l_used, u_used)) return 0;
        lu->l_start[k] = l_used;
        lu->u_start[k] = u_used;
        if (++lu->stamp == INT_MAX) {
            memset(lu->mark, 0, (size_t)n * sizeof(int));
            lu->stamp = 1;
        }
        for (int j = lu->column_start[column]; j < lu->column_start[column + 1]; j++)
            if (lu->mark[lu->row[j]] != lu->stamp) top = NAME(reach)(lu, lu->row[j], top);
        NAME(scatter)(lu, values, column);
        double largest = 0;
        int pivot = -1;
        for (int j = top; j < n; j++) {
            int row = lu->stack[j], at = lu->position[row];
            if (at >= 0) {
                NAME(eliminate)(lu, at);
                lu->u_position[u_used] = at;
                lu->u[u_used++] = lu->x[row];
                continue;
            }
            lu->l_row[l_used++] = row;
        }
        for (int j = lu->l_start[k]; j < l_used; j++) {
            double size = SIZE(lu->x[lu->l_row[j]]);
            if (size > largest) {
                largest = size;
                pivot = lu->l_row[j];
            }
        }
        if (pivot < 0 || !(largest < HUGE_VAL)) return 0;
        /* The diagonal keeps the fill the ordering foresaw, unless it is small. */
        if (lu->mark[column] == lu->stamp && lu->position[column] < 0 && SIZE(lu->x[column]) >= 0.1 * largest)
            pivot = column;
        SCALAR divisor = lu->x[pivot];
        lu->pivot[k] = divisor;
        lu->pivot_row[k] = pivot;
        lu->position[pivot] = k;
        int kept = lu->l_start[k];
        for (int j = kept; j < l_used; j++) {
            int row = lu->l_row[j];
            if (row != pivot) {
                lu->l_row[kept] = row;
                lu->l[kept++] = QUOTIENT(lu->x[row], divisor);
            }
            lu->x[row] = ZERO;
        }
        l_used = kept;
        for (int j = lu->u_start[k]; j < u_used; j++) lu->x[lu->pivot_row[lu->u_position[j]]] = ZERO;
        lu->l_start[k + 1] = l_used;
        lu->u_start[k + 1] = u_used;
    }
    return 1;
}

/* The same elimination with known patterns and pivots; 0 when a pivot has become too small. */
static int NAME(again)(LU *lu, const SCALAR *values)
{
    for (int i = 0; i < lu->n; i++) lu->x[i] = ZERO;
    for (int k = 0; k < lu->n; k++) {
        NAME(scatter)(lu, values, lu->order[k]);
        for (int j = lu->u_start[k]; j < lu->u_start[k + 1]; j++) {
            int at = lu->u_position[j];
            NAME(eliminate)(lu, at);
            lu->u[j] = lu->x[lu->pivot_row[at]];
            lu->x[lu->pivot_row[at]] = ZERO;
        }
        SCALAR divisor = lu->x[lu->pivot_row[k]];
        double size = SIZE(divisor);
        lu->x[lu->pivot_row[k]] = ZERO;
        lu->pivot[k] = divisor;
        if (!(size > 0) || !(size < HUGE_VAL)) return 0;
        for (int j = lu->l_start[k]; j < lu->l_start[k + 1]; j++) {
            SCALAR entry = lu->x[lu->l_row[j]];
            if (!(SIZE(entry) <= 100 * size)) return 0;
            lu->l[j] = QUOTIENT(entry, divisor);
            lu->x[lu->l_row[j]] = ZERO;
        }
    }
    return 1;
}

int NAME(factor)(LU *lu, const SCALAR *values)
{
    NAME(scale_rows)(lu, values);
    if (lu->factored && NAME(again)(lu, values)) return 1;
    return lu->factored = NAME(afresh)(lu, values);
}

void NAME(solve)(LU *lu, SCALAR *b)
{
    SCALAR *y = lu->x + lu->n;
    for (int i = 0; i < lu->n; i++) b[i] = SCALED(b[i], lu->row_scale[i]);
    for (int k = 0; k < lu->n; k++) {
        SCALAR value = b[lu->pivot_row[k]];
        y[k] = value;
        for (int j = lu->l_start[k]; j < lu->l_start[k + 1]; j++) SUBTRACT_PRODUCT(b[lu->l_row[j]], lu->l[j], value);
    }
    for (int k = lu->n - 1; k >= 0; k--) {
        SCALAR value = QUOTIENT(y[k], lu->pivot[k]);
        for (int j = lu->u_start[k]; j < lu->u_start[k + 1]; j++)
            SUBTRACT_PRODUCT(y[lu->u_position[j]], lu->u[j], value);
        b[lu->order[k]] = value;
    }
}
