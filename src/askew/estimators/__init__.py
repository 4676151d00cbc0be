"""The scikit-learn estimators: each turns its parameters into a `askew.recipe.Recipe`."""
