// Loops around one evaluation of forward dynamics: Linkwork's compiled function, and Pinocchio's articulated-body
// algorithm on the same arm. Each loop feeds a trace of the result back, so that no evaluation can be left out.

#include <chrono>

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/multibody.hpp>

using Clock = std::chrono::steady_clock;

static double seconds_since(Clock::time_point start)
{
  return std::chrono::duration<double>(Clock::now() - start).count();
}

using Evaluate = void (*)(const double *const *arg, double *const *res, double *work);

extern "C" double linkwork_loop(Evaluate f, const double *const *arg, double *const *res, double *work, double *q,
                                long repeats)
{
  const auto start = Clock::now();
  for (long i = 0; i < repeats; ++i)
  {
    f(arg, res, work);
    q[0] += 1e-12 * res[0][0];
  }
  return seconds_since(start) / repeats;
}

// body: per link mass, mass centre x y z, inertia xx yy zz, z of its joint in the frame before, axis (0 x, 1 y, 2 z).
extern "C" double pinocchio_loop(int n, const double *body, double *q, const double *v, const double *tau, double *a,
                                 long repeats, int local)
{
  using namespace pinocchio;
  Model model;
  JointIndex parent = 0;
  for (int i = 0; i < n; ++i, body += 9)
  {
    const SE3 place(Eigen::Matrix3d::Identity(), Eigen::Vector3d(0, 0, body[7]));
    const std::string name = "j" + std::to_string(i);
    const int axis = int(body[8]);
    if (axis == 0)
      parent = model.addJoint(parent, JointModelRX(), place, name);
    else if (axis == 1)
      parent = model.addJoint(parent, JointModelRY(), place, name);
    else
      parent = model.addJoint(parent, JointModelRZ(), place, name);
    const Eigen::Matrix3d inertia = Eigen::Vector3d(body[4], body[5], body[6]).asDiagonal();
    model.appendBodyToJoint(parent, Inertia(body[0], Eigen::Vector3d(body[1], body[2], body[3]), inertia),
                            SE3::Identity());
  }
  Data data(model);
  Eigen::VectorXd x = Eigen::Map<Eigen::VectorXd>(q, n);
  const Eigen::VectorXd speed = Eigen::Map<const Eigen::VectorXd>(v, n), torque = Eigen::Map<const Eigen::VectorXd>(tau, n);
  Eigen::Map<Eigen::VectorXd>(a, n) = aba(model, data, x, speed, torque);
  const auto start = Clock::now();
  for (long i = 0; i < repeats; ++i)
  {
    if (local)
      aba(model, data, x, speed, torque, Convention::LOCAL);
    else
      aba(model, data, x, speed, torque, Convention::WORLD);
    x[0] += 1e-12 * data.ddq[0];
  }
  return seconds_since(start) / repeats;
}
