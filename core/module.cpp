// The module `askew._core`: a table of contents. Each method's bindings stand beside its kernels.
#include <nanobind/nanobind.h>

namespace askew {
void bind_threads(nanobind::module_&);
void bind_score(nanobind::module_&);
void bind_tree(nanobind::module_&);
void bind_grown_tree(nanobind::module_&);
void bind_axis(nanobind::module_&);
void bind_c45(nanobind::module_&);
void bind_oc1(nanobind::module_&);
void bind_cart_lc(nanobind::module_&);
void bind_sadt(nanobind::module_&);
void bind_cedt(nanobind::module_&);
void bind_elc(nanobind::module_&);
void bind_hhcart(nanobind::module_&);
void bind_apdt(nanobind::module_&);
void bind_lmdt(nanobind::module_&);
void bind_network(nanobind::module_&);
void bind_linear(nanobind::module_&);
void bind_moments(nanobind::module_&);
void bind_leaves(nanobind::module_&);
void bind_ensemble(nanobind::module_&);
void bind_forest(nanobind::module_&);
void bind_boosting(nanobind::module_&);
void bind_explain(nanobind::module_&);
}  // namespace askew

NB_MODULE(_core, m) {
#ifdef NDEBUG
  nanobind::set_leak_warnings(false);  // objects that live until Python ends, in worker processes for one, are no leak
#endif
  askew::bind_threads(m);
  askew::bind_score(m);
  askew::bind_tree(m);
  askew::bind_grown_tree(m);
  askew::bind_axis(m);
  askew::bind_c45(m);
  askew::bind_oc1(m);
  askew::bind_cart_lc(m);
  askew::bind_sadt(m);
  askew::bind_cedt(m);
  askew::bind_elc(m);
  askew::bind_hhcart(m);
  askew::bind_apdt(m);
  askew::bind_lmdt(m);
  askew::bind_network(m);
  askew::bind_linear(m);
  askew::bind_moments(m);
  askew::bind_leaves(m);
  askew::bind_ensemble(m);
  askew::bind_forest(m);
  askew::bind_boosting(m);
  askew::bind_explain(m);
}
