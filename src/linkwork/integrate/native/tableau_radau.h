/* Radau IIA, order 5 (Hairer and Wanner 1996, section IV.8): nodes, the decoupling of its stages, the embedded formula. */
static const double c1 = 0.15505102572168219018, c2 = 0.64494897427831780982; /* (4 -+ sqrt 6) / 10; c3 = 1 */

/* Eigenvalues of the inverse of the Runge-Kutta matrix: 3 + 3^(2/3) - 3^(1/3) and its complex pair. */
static const double mu_real = 3.6378342527444957322, mu_re = 2.6810828736277521339, mu_im = -3.0504301992474105694;

static const double T[3][3] = {{0.09443876248897524, -0.14125529502095421, 0.03002919410514742},
                               {0.25021312296533332, 0.20412935229379994, -0.38294211275726192},
                               {1, 1, 0}};
static const double TI[3][3] = {{4.17871859155190428, 0.32768282076106237, 0.52337644549944951},
                                {-4.17871859155190428, -0.32768282076106237, 0.47662355450055044},
                                {0.50287263494578682, -2.57192694985560522, 0.59603920482822492}};
static const double D[3] = {5.5319726474218082, -7.5319726474218082, 5}; /* h p'(1) of the collocation polynomial p */
static const double E[3] = {-10.048809399827414, 1.3821427331607485, -1.0 / 3}; /* (-13 -+ 7 sqrt 6) / 3, -1/3 */

/* Weights of the stages in the collocation polynomial minus its value at 0, at theta. */
static void weights(double theta, double w[3])
{
    w[0] = theta * (theta - c2) * (theta - 1) / (c1 * (c1 - c2) * (c1 - 1));
    w[1] = theta * (theta - c1) * (theta - 1) / (c2 * (c2 - c1) * (c2 - 1));
    w[2] = theta * (theta - c1) * (theta - c2) / ((1 - c1) * (1 - c2));
}
