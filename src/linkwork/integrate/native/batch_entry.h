/* All cases of a batch in LANES lanes; ends what batch_template.h has begun. */

QUALIFIER void NAME(run)(const lw_batch *b, double *room)
{
    NAME(room) r;
    double **rows[] = {&r.y, &r.y_new, &r.stage, &r.sample};
    for (int k = 0; k < 4; k++, room += STATES * LANES) *rows[k] = room;
    r.k = room;
    r.p = r.k + 7 * STATES * LANES;
    r.g = r.p + PARAMETERS * LANES;
    r.side = r.g + 5 * EVENTS * LANES;
    r.largest = r.side + EVENTS * LANES;
    r.root = r.largest + EVENTS * LANES;
    r.earlier = r.root + MARGINS * LANES;
    r.most = r.earlier + 2 * MARGINS * LANES;
    r.work = r.most + MARGINS * LANES;
    NAME(cases)(b, 0, 1, &r);
}

#undef LANES
#undef NAME
#undef QUALIFIER
#undef EACH_LANE
#undef EACH_STATE
#undef AT
#undef LANEWISE
#undef ROW
#undef ROW_TYPE
#undef ROW_SIZE
#undef ROW_LARGER
#undef REFRESH
#undef LW_LEAST_ERROR
