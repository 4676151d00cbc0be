"""The scikit-learn estimators: each turns its parameters into a `askew.grow.recipe.Recipe`. `registry` lists them."""
