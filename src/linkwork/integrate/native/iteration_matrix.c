/* The multiplier block of a Newton matrix is K = [[M, B], [A, 0]]. Redundant rows of A make it singular. A shift of
 * -epsilon times the Jacobi estimate of A M^-1 B on the zero block keeps it regular and of the right inertia. The
 * residual stays exact: the shift only slows Newton's convergence by a factor of about epsilon, and leaves the part of
 * the multipliers that the equations do not determine where it was. */
#include "iteration_matrix.h"

#include <math.h>
#include <string.h>

static const double epsilon = 1e-8;

static int find(const lw_matrix *m, int row, int column)
{
    for (int k = m->column_start[column]; k < m->column_start[column + 1]; k++)
        if (m->row[k] == row) return k;
    return -1;
}

int lw_matrix_create(lw_run *run, lw_matrix *m, int first_multiplier)
{
    const lw_pattern *p = &run->options.pattern;
    m->n = p->n;
    m->column_start = p->column_start;
    m->row = p->row;
    m->place = p->place;
    m->source_nonzeros = p->source_nonzeros;
    m->nonzeros = p->column_start[p->n];
    m->first_multiplier = first_multiplier;
    m->source = lw_doubles(run, m->source_nonzeros);
    m->values = lw_doubles(run, m->nonzeros);
    m->diagonal = lw_allocate(run, (size_t)m->n * sizeof(int));
    m->shift = lw_doubles(run, m->n);
    m->pair_row = lw_allocate(run, (size_t)m->nonzeros * sizeof(int));
    m->pair_place = lw_allocate(run, 3 * (size_t)m->nonzeros * sizeof(int));
    if (!m->source || !m->values || !m->diagonal || !m->shift || !m->pair_row || !m->pair_place) return 0;
    for (int i = 0; i < m->n; i++) m->diagonal[i] = find(m, i, i);
    for (int i = first_multiplier; i < m->n; i++)
        for (int at = m->column_start[i]; at < m->column_start[i + 1]; at++) {
            int k = m->row[at], mirror = k < first_multiplier ? find(m, i, k) : -1;
            if (mirror < 0) continue;
            m->pair_row[m->pairs] = i;
            int *places = m->pair_place + 3 * m->pairs++;
            places[0] = mirror;
            places[1] = at;
            places[2] = m->diagonal[k];
        }
    return 1;
}

void lw_matrix_load(lw_matrix *m)
{
    memset(m->values, 0, (size_t)m->nonzeros * sizeof(double));
    for (int k = 0; k < m->source_nonzeros; k++) m->values[m->place[k]] += m->source[k];
    for (int i = m->first_multiplier; i < m->n; i++) m->shift[i] = 0;
    for (int k = 0; k < m->pairs; k++) {
        const int *places = m->pair_place + 3 * k;
        double mass = m->values[places[2]];
        if (mass != 0) m->shift[m->pair_row[k]] -= m->values[places[0]] * m->values[places[1]] / mass;
    }
    for (int i = m->first_multiplier; i < m->n; i++)
        m->shift[i] = m->shift[i] != 0 ? epsilon * m->shift[i] : -epsilon;
}

void lw_matrix_shifted_real(const lw_matrix *j, int states, double shift, double *to)
{
    for (int k = 0; k < j->nonzeros; k++) to[k] = -j->values[k];
    for (int i = 0; i < states; i++) to[j->diagonal[i]] += shift;
    for (int i = j->first_multiplier; i < j->n; i++) to[j->diagonal[i]] -= j->shift[i];
}

void lw_matrix_shifted(const lw_matrix *j, int states, lw_complex shift, lw_complex *to)
{
    for (int k = 0; k < j->nonzeros; k++) to[k] = (lw_complex){-j->values[k], 0};
    for (int i = 0; i < states; i++) {
        to[j->diagonal[i]].re += shift.re;
        to[j->diagonal[i]].im += shift.im;
    }
    for (int i = j->first_multiplier; i < j->n; i++) to[j->diagonal[i]].re -= j->shift[i];
}
