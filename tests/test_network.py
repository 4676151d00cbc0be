"""Nothing of the library needs a network at run time."""

import subprocess
import sys

PROGRAM = """
import socket, sys
def refuse(*args, **kwargs):
    raise AssertionError("a socket at run time")
socket.socket.connect = socket.socket.connect_ex = socket.create_connection = socket.getaddrinfo = refuse
import askew
from sklearn.datasets import load_iris
X, y = load_iris(return_X_y=True)
for model in (askew.OC1Classifier(max_depth=2), askew.ObliqueForestClassifier(n_estimators=2)):
    model.fit(X, y).predict(X)
    askew.save(model, sys.argv[1] + "/m.askew")
    askew.load(sys.argv[1] + "/m.askew").predict(X)
    askew.export_json(model)
tree = askew.CARTClassifier(max_depth=2).fit(X, y)
askew.report(tree, X, y, path=sys.argv[1] + "/report.html")
askew.datasets.load("iris")
print("no socket")
"""


def test_fit_predict_save_load_and_report_open_no_connection(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True, check=False, timeout=240
    )
    assert done.stdout == "no socket\n", done.stderr
