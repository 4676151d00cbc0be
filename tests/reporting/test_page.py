"""The page of a report in a real browser: what it shows is what `predict` says."""

import numpy as np
import pandas as pd
import pytest
import reports

import askew

KEYS = {"down": "\ue015", "up": "\ue013", "left": "\ue012", "right": "\ue014", "home": "\ue011", "end": "\ue010"}
ENTER, TAB = "\ue007", "\ue004"


def as_cells(model, X):
    """Return rows as the page takes them: numbers, codes of categories (-1: unknown), None where missing."""
    encoder = model.encoder_
    coded = np.asarray(X, dtype=float) if encoder is None else encoder.code(X)
    return [[None if value != value else value for value in row] for row in coded.tolist()]


@pytest.mark.parametrize("name", reports.MODELS)
def test_the_page_predicts_what_predict_does(page, written, name):
    model, (X, _) = reports.model(name), reports.rows(name)
    X = X[:200] if isinstance(X, np.ndarray) else X.iloc[:200].copy()
    if isinstance(X, pd.DataFrame) and "colour" in X:
        X.loc[X.index[:5], "colour"] = "pink"  # a category that training has not seen
    page.open(written(name))
    found = page.run(
        "return arguments[0].map(row => askew.model.predict(row)).map(p => [p.answer, p.shares, p.leaf.id])",
        as_cells(model, X),
    )
    answers, shares, leaves = zip(*found, strict=True)
    assert np.array_equal(leaves, model.apply(X))
    if not hasattr(model, "classes_"):
        assert np.array_equal(answers, model.predict(X))
        return
    assert np.array_equal(model.classes_[list(answers)], model.predict(X))
    assert np.allclose(np.array(shares, dtype=float), model.predict_proba(X), rtol=1e-12, atol=1e-15)


def test_the_page_predicts_what_predict_does_of_gaps_and_huge_values_that_training_did_not_have(page, tmp_path):
    gaps, y = reports.rows("auto, gaps")
    full = gaps.fillna({"size": 3.0, "colour": "red"})
    huge = full[:4].assign(size=[1e308, -1e308, 1e308, 1e300], weight=[1e308, 1e308, -1e308, 0.0])
    X = pd.concat([gaps.mask(np.random.default_rng(0).random(gaps.shape) < 0.3), huge], ignore_index=True)
    linear = askew.CARTClassifier(leaf_model="linear", max_leaf_nodes=3)
    for model in (askew.AutoTreeClassifier(effort="low", random_state=0), linear, askew.LMDTClassifier(random_state=0)):
        model.fit(full, y)
        page.open(askew.report(model, full, y, tmp_path / "page.html"))
        found = page.run(
            "return arguments[0].map(row => askew.model.predict(row)).map(p => [p.answer, p.shares])",
            as_cells(model, X),
        )
        assert model.classes_[[answer for answer, _ in found]].tolist() == model.predict(X).tolist()
        shares = np.array([share for _, share in found], dtype=float)
        np.testing.assert_allclose(shares, model.predict_proba(X), rtol=1e-12, atol=1e-15)


def shown(page):
    """Return the numbers of the nodes that the tree shows, from top to bottom."""
    return [int(node.get_attribute("id").removeprefix("node-")) for node in page.all("[role=treeitem]")]


def selected(page):
    (node,) = page.all("[role=treeitem][aria-selected=true]")
    assert node.get_attribute("tabindex") == "0"
    return int(node.get_attribute("id").removeprefix("node-"))


def test_the_whole_tree_is_shown_and_a_click_on_a_node_tells_what_it_tests(page, written):
    model, (X, _) = reports.model("wine"), reports.rows("wine")
    page.open(written("wine"))
    assert page.text("h1") == "Report of wine"
    assert sorted(shown(page)) == list(range(model.tree_.node_count))
    assert page.text("#node-title") == "Node 0"
    leaf = int(model.apply(X.iloc[:1])[0])
    page.find(f"#node-{leaf}").click()
    assert page.text("#node-title") == f"Leaf {leaf}: {model.predict(X.iloc[:1])[0]}"
    assert selected(page) == leaf
    assert f"{(model.apply(X) == leaf).sum()} rows of this report" in page.text("#node")


def test_a_plane_is_shown_in_the_units_of_the_data_and_as_shares_of_the_decision(page, written):
    model = reports.model("wine")
    page.open(written("wine"))
    tested, weights = model.tree_.test(0)
    size = np.abs(weights) * model.feature_scale_[tested]
    largest = size.argmax()
    name = model.feature_names_in_[tested[largest]]
    first = page.find(".plane tbody tr").text.replace("\N{MINUS SIGN}", "-").split()
    assert first[0] == name
    assert float(first[1]) == pytest.approx(page.run("return askew.data.nodes[0].terms[0][1]"), rel=1e-3)
    assert first[2] == f"{100 * size[largest] / size.sum():.1f}%"
    assert page.all("#node .threshold")


def test_the_rows_of_a_node_are_those_that_come_there_and_a_click_explains_one(page, written):
    model, (X, y) = reports.model("wine"), reports.rows("wine")
    page.open(written("wine"))
    page.find("#node-1").click()
    page.find("#node .buttons button").click()
    lines = [line.text.split()[:3] for line in page.all("#node .rows tbody tr")]
    assert len(lines) > 8
    passes = model.decision_path(X).toarray()[:, 1]
    for number, truth, found in lines:
        assert passes[int(number)]
        assert (truth, found) == (y[int(number)], model.predict(X.iloc[[int(number)]])[0])
    page.run("arguments[0].click()", page.find("#node .rows button"))
    assert page.run("return askew.form.row") == as_cells(model, X.iloc[[int(lines[0][0])]])[0]


def test_folding_hides_what_is_below_and_unfolding_brings_it_back(page, written):
    page.open(written("wine"))
    everything = shown(page)
    page.find("#fold").click()
    assert shown(page) == [0]
    assert page.find("#node-0").get_attribute("aria-expanded") == "false"
    page.find("#node-0 .knob").click()
    assert shown(page) == [0, 1, 2]
    page.find("#unfold").click()
    assert shown(page) == everything


def test_the_keyboard_walks_and_folds_the_tree(page, written):
    tree = reports.model("breast").tree_
    page.open(written("breast"))
    page.find("#node-0").click()
    page.press(KEYS["right"])
    assert selected(page) == tree.first_child[0]
    page.press(KEYS["down"])
    assert selected(page) == shown(page)[2]
    page.press(KEYS["up"], KEYS["left"])  # folds node 1, or goes up from a leaf
    assert page.find("#node-1").get_attribute("aria-expanded") == "false"
    page.press(KEYS["left"])
    assert selected(page) == 0
    page.press(KEYS["end"])
    assert selected(page) == shown(page)[-1]
    page.press(KEYS["home"], ENTER)
    assert shown(page) == [0]
    page.press(ENTER)
    assert len(shown(page)) > 1
    assert page.run("return document.activeElement.id") == "node-0"


def test_every_control_is_reached_with_the_tab_key(page, written):
    page.open(written("auto"))
    wanted = set(
        page.run(
            "return [...document.querySelectorAll('button, input, select, summary, [tabindex=\"0\"]')]"
            ".filter(one => one.checkVisibility()).map((one, k) => (one.dataset.k = k, k))"
        )
    )
    reached = set()
    for _ in range(len(wanted) + 5):
        page.press(TAB)
        at = page.run("return document.activeElement.dataset.k ?? null")
        reached.add(None if at is None else int(at))
    assert wanted <= reached


def test_the_slider_goes_along_the_pruning_path_and_the_tree_redraws(page, written):
    model, (X, y) = reports.model("breast"), reports.rows("breast")
    page.open(written("breast"))
    steps = page.run("return askew.data.path.steps")
    slider = page.find("#size")
    assert f"{model.get_n_leaves()} of {model.get_n_leaves()} leaves" in page.text("#size-told")
    page.run("arguments[0].focus()", slider)
    page.press(KEYS["left"])
    pruned = model.pruned(askew.prune.CostComplexity(ccp_alpha=steps[1]["alpha"]), X, y)
    assert f"{pruned.get_n_leaves()} of" in page.text("#size-told")
    assert f"{pruned.score(X, y):.4g}" in page.text("#size-told")
    leaves = page.run("return askew.model.leaves(1).length")
    assert leaves == pruned.get_n_leaves()
    found = page.run("return arguments[0].map(row => askew.model.predict(row, 1).answer)", as_cells(model, X))
    assert np.array_equal(model.classes_[found], pruned.predict(X))
    page.press(KEYS["home"])
    assert shown(page) == [0]
    assert page.text("#node-title").startswith("Leaf 0")
    page.press(KEYS["end"])
    assert len(shown(page)) > 1


def test_the_form_shows_what_is_predicted_and_why(page, written):
    model, (X, _) = reports.model("wine"), reports.rows("wine")
    page.open(written("wine"))
    row = X.iloc[[100]].copy()
    for j, value in enumerate(row.iloc[0]):
        page.run("const f = document.getElementById(arguments[0]); f.value = arguments[1];"
                 "f.dispatchEvent(new Event('input'))", f"f{j}", value)  # fmt: skip
    assert page.text("#answer") == model.predict(row)[0]
    field = page.find("#f0")
    field.clear()
    field.send_keys("11.03")
    row.iloc[0, 0] = 11.03
    assert page.text("#answer") == model.predict(row)[0]
    assert page.text(".reasons > li:last-child").startswith(f"Leaf {model.apply(row)[0]}:")
    marked = {int(node.get_attribute("id")[5:]) for node in page.all("[role=treeitem].on-way")}
    assert marked == set(model.decision_path(row).indices)


REASONS = """
const [row, nodes] = arguments;
const x = askew.model.columnsOf(row);
return nodes.map(node => askew.contributions(askew.model, askew.model.nodes[node], x));
"""


@pytest.mark.parametrize("name", ["wine", "one-hot"])
def test_the_reasons_are_those_of_explain_against_the_rows_of_the_report(page, written, name):
    model, (X, _) = reports.model(name), reports.rows(name)
    page.open(written(name))
    for k in (0, 40, 120):
        steps = askew.explain(model, X.iloc[k], background=X).steps
        told = page.run(REASONS, as_cells(model, X.iloc[[k]])[0], [step.node for step in steps])
        for step, reason in zip(steps, told, strict=True):
            expected = {one.feature: one.amount for one in step.contributions}
            found = {model.feature_names_in_[j]: part for j, part in reason["parts"]}
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)
            assert reason["margin"] == pytest.approx(reason["base"] + sum(found.values()), rel=1e-9, abs=1e-12)


def as_frame(model, cells):
    """Return rows of the page as the model takes them."""
    encoder = model.encoder_
    columns = list(zip(*cells, strict=True))
    if encoder is not None:
        for j, labels in enumerate(encoder.categories):
            if labels is not None:
                columns[j] = [None if code is None else labels[code] if code >= 0 else "?" for code in columns[j]]
    names = getattr(model, "feature_names_in_", None)
    table = dict(enumerate(columns)) if names is None else dict(zip(names, columns, strict=True))
    frame = pd.DataFrame(table).infer_objects()
    return frame.to_numpy(dtype=float) if names is None else frame


CHANGES = """
const [rows, held] = arguments;
askew.form.fixed = new Set(held);
return rows.map(row => {
  askew.form.row = row;
  askew.form.found = askew.model.predict(row);
  return askew.form.change.find()?.row ?? null;
});
"""


@pytest.mark.parametrize(
    "name", ["wine", "breast", "diabetes", "diabetes linear", "linear", "one-hot", "parts", "machines"]
)
def test_the_nearest_change_alters_what_predict_says(page, written, name):
    model, (X, _) = reports.model(name), reports.rows(name)
    X = X[:60] if isinstance(X, np.ndarray) else X.iloc[:60].dropna()
    page.open(written(name))
    rows = as_cells(model, X)
    found = page.run(CHANGES, rows, [])
    changed = [k for k, row in enumerate(found) if row is not None]
    assert len(changed) > 0.9 * len(rows)
    before = model.predict(X)[changed]
    after = model.predict(as_frame(model, [found[k] for k in changed]))
    if hasattr(model, "classes_"):
        assert (before != after).all()
    else:
        bound = page.run("return Number(document.getElementById('wanted').value)")
        assert np.where(before < bound, after >= bound, after <= bound).all()
    held = page.run(CHANGES, rows, [0, 1])
    for row, new in zip(rows, held, strict=True):
        assert new is None or new[:2] == row[:2]


def test_the_nearest_change_is_as_near_as_a_general_solver_finds(page, written):
    from scipy.optimize import minimize

    model, (X, _) = reports.model("wine"), reports.rows("wine")
    page.open(written("wine"))
    scale = np.array(page.run("return askew.data.scale"))
    tree = model.tree_
    for row in as_cells(model, X.iloc[[5, 70, 150]]):
        here = int(model.tree_.apply(np.array([row]))[0])
        best = np.inf
        for leaf in np.flatnonzero(tree.is_leaf).tolist():
            if tree.value[leaf].argmax() == tree.value[here].argmax():
                continue
            limits, node = [], leaf
            while node > 0:
                above = int(tree.parent[node])
                sign = 1 if node == tree.first_child[above] else -1
                a, b = np.zeros(len(row)), float(tree.threshold[above])
                tested, weights = tree.test(above)
                a[tested] = weights * scale[tested]
                size, at = np.linalg.norm(a), b - a @ (np.array(row) / scale)
                limits.append({"type": "ineq", "fun": lambda u, a=a, s=sign, z=size, at=at: s * (at - a @ u) / z})
                node = above
            found = minimize(lambda u: u @ u, np.zeros(len(row)), jac=lambda u: 2 * u, constraints=limits)
            best = min(best, np.sqrt(found.fun)) if found.success else best
        (ours,) = page.run(CHANGES.replace("?.row", "?.distance"), [row], [])
        assert best * (1 - 1e-5) <= ours <= best * 1.0201  # a little farther, for the sake of short numbers


def test_the_change_on_the_page_can_be_taken_over(page, written):
    page.open(written("wine"))
    before = page.text("#answer")
    wanted = page.text("#changed-to").split(",")[0]
    assert wanted != before
    page.run("arguments[0].click()", page.find("#apply-change"))
    assert page.text("#answer") == wanted


@pytest.mark.parametrize("name", ["auto", "diabetes linear", "one-hot", "machines"])
def test_a_narrow_window_needs_no_scrolling_aside(page, written, name):
    page.open(written(name), width=360, height=740, scheme="dark")
    assert page.run("return document.documentElement.scrollWidth") <= 360
    outside = page.run(
        "return [...document.querySelectorAll('h1, h2, h3, p, button, input, select, table')]"
        ".filter(one => one.checkVisibility() && !one.closest('.scroll') && one.getBoundingClientRect().right > 361)"
        ".map(one => one.textContent)"
    )
    assert outside == []
    page.find("#node-1").click()
    assert selected(page) == 1


@pytest.mark.parametrize("name", reports.ODD)
def test_odd_data_are_drawn(page, tmp_path, name):
    model, X, y = reports.odd(name)
    page.open(askew.report(model, X, y, tmp_path / "r.html"), width=360)
    page.find("#node-0").click()
    page.find("#random-row").click()
    found = page.run("return askew.form.row.map((cell, j) => [cell, askew.form.found.answer])")
    expected = model.predict([[cell for cell, _ in found]])[0]
    assert found[0][1] == (np.flatnonzero(model.classes_ == expected)[0] if hasattr(model, "classes_") else expected)
    assert page.run("return document.documentElement.scrollWidth") <= 360


def test_light_and_dark_follow_the_system_and_the_button(page, written):
    background = "return getComputedStyle(document.body).backgroundColor"
    light = page.open(written("wine")).run(background)
    dark = page.open(written("wine"), scheme="dark").run(background)
    assert light != dark
    page.find("#theme").click()
    assert page.run(background) == light


HOSTILE = [
    "</script><script>window.bad=1</script>",
    "<img src=x onerror='window.bad=1'>",
    "a&lt;b\u2028\"'`${window.bad=1}",
]


def test_names_from_strangers_are_text_and_nothing_else(page, tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(90, 2)), columns=HOSTILE[:2])
    X["colour<b>"] = rng.choice(HOSTILE, 90)
    y = np.array(HOSTILE)[(X.iloc[:, 0] > 0).to_numpy(int) + (X["colour<b>"] == HOSTILE[0])]
    model = askew.OC1Classifier(random_state=0).fit(X, y)
    path = askew.report(model, X, y, tmp_path / "r.html", title=HOSTILE[0])
    page.open(path)
    page.find("#node-1").click()
    assert page.run("return window.bad") is None
    assert page.text("h1") == HOSTILE[0]
    assert page.all("main img, main b, main script") == []
    assert HOSTILE[0] in [option.text for option in page.all("#wanted option")]


def test_the_page_of_a_forest_tells_how_well_it_predicts(page, tmp_path):
    X, y = reports.rows("wine")
    forest = askew.ObliqueForestClassifier(n_estimators=3, random_state=0).fit(X, y)
    page.open(askew.report(forest, X, y, tmp_path / "r.html"))
    assert "made of 3 trees" in page.text("main")
    assert page.all("[role=tree], form") == []
    assert len(page.all(".matrix tbody tr")) == 3


def test_the_leaderboard_marks_the_choice(page, written):
    page.open(written("auto"))
    assert page.text(".board .chosen th").startswith(reports.model("auto").selection_.chosen.recipe)


def test_the_page_of_a_large_table_is_drawn_without_waiting_for_anything(page, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10_000, 20))
    y = (X[:, :4].sum(axis=1) > 0).astype(int) + (X[:, 4] * X[:, 5] > 0.5)
    model = askew.CARTClassifier(max_leaf_nodes=20, pruning=None).fit(X, y)
    path = askew.report(model, X, y, tmp_path / "r.html")
    page.open(path)
    painted = page.driver.execute_async_script(
        "new PerformanceObserver(list => arguments[0](list.getEntries().pop().startTime))"
        ".observe({type: 'paint', buffered: true})"
    )
    loaded = page.run("return performance.getEntriesByType('resource').length")
    assert (model.get_n_leaves(), loaded) == (20, 0)
    print(f"report of 20 leaves and 10,000 rows: {path.stat().st_size:,} bytes, first paint {painted:.0f} ms")
