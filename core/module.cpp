// The module `askew._core`: a table of contents. Each method's bindings are in the folder of its kernels.
#include <nanobind/nanobind.h>

namespace askew::numeric {
void bind_threads(nanobind::module_&);
}  // namespace askew::numeric
namespace askew::score {
void bind_score(nanobind::module_&);
}  // namespace askew::score
namespace askew::tree {
void bind_tree(nanobind::module_&);
void bind_grown_tree(nanobind::module_&);
}  // namespace askew::tree
namespace askew::axis {
void bind_axis(nanobind::module_&);
void bind_c45(nanobind::module_&);
}  // namespace askew::axis
namespace askew::line {
void bind_oc1(nanobind::module_&);
void bind_cart_lc(nanobind::module_&);
void bind_sadt(nanobind::module_&);
}  // namespace askew::line
namespace askew::cedt {
void bind_cedt(nanobind::module_&);
}  // namespace askew::cedt
namespace askew::elc {
void bind_elc(nanobind::module_&);
}  // namespace askew::elc
namespace askew::hhcart {
void bind_hhcart(nanobind::module_&);
}  // namespace askew::hhcart
namespace askew::apdt {
void bind_apdt(nanobind::module_&);
}  // namespace askew::apdt
namespace askew::lmdt {
void bind_lmdt(nanobind::module_&);
}  // namespace askew::lmdt
namespace askew::network {
void bind_network(nanobind::module_&);
}  // namespace askew::network
namespace askew::linear {
void bind_linear(nanobind::module_&);
void bind_moments(nanobind::module_&);
void bind_leaves(nanobind::module_&);
}  // namespace askew::linear
namespace askew::ensemble {
void bind_ensemble(nanobind::module_&);
void bind_forest(nanobind::module_&);
void bind_boosting(nanobind::module_&);
}  // namespace askew::ensemble
namespace askew::explain {
void bind_explain(nanobind::module_&);
}  // namespace askew::explain

NB_MODULE(_core, m) {
#ifdef NDEBUG
  nanobind::set_leak_warnings(false);  // objects that live until Python ends, in worker processes for one, are no leak
#endif
  askew::numeric::bind_threads(m);
  askew::score::bind_score(m);
  askew::tree::bind_tree(m);
  askew::tree::bind_grown_tree(m);
  askew::axis::bind_axis(m);
  askew::axis::bind_c45(m);
  askew::line::bind_oc1(m);
  askew::line::bind_cart_lc(m);
  askew::line::bind_sadt(m);
  askew::cedt::bind_cedt(m);
  askew::elc::bind_elc(m);
  askew::hhcart::bind_hhcart(m);
  askew::apdt::bind_apdt(m);
  askew::lmdt::bind_lmdt(m);
  askew::network::bind_network(m);
  askew::linear::bind_linear(m);
  askew::linear::bind_moments(m);
  askew::linear::bind_leaves(m);
  askew::ensemble::bind_ensemble(m);
  askew::ensemble::bind_forest(m);
  askew::ensemble::bind_boosting(m);
  askew::explain::bind_explain(m);
}
