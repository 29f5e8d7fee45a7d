from sklearn import config_context

from roctree import ROCTreeClassifier
from tests.estimator import weather


def test_a_notebook_shows_the_parameters_of_an_unfitted_tree():
    page = ROCTreeClassifier(max_leaf_nodes=4)._repr_html_()
    assert "ROCTreeClassifier" in page
    assert page.endswith("</body>")


def test_a_notebook_shows_the_top_of_a_fitted_tree():
    tree = ROCTreeClassifier(max_leaf_nodes=4).fit(*weather.frame())
    for page in (tree._repr_html_(), tree._repr_mimebundle_()["text/html"]):
        assert "4 leaves, depth " in page
        assert "classes home, play" in page
        assert "sky" in page
        assert "&lt;=" in page


def test_names_in_the_page_are_escaped():
    X, y = weather.frame()
    X.columns = ["<b>", "<script>", "&"]
    page = ROCTreeClassifier().fit(X, y)._repr_html_()
    tree = page[page.rindex("<pre>") :]
    assert "<script>" not in tree
    assert "&lt;b&gt;" in tree


def test_as_text_a_tree_is_its_parameters():
    with config_context(display="text"):
        assert repr(ROCTreeClassifier(max_depth=3)) == "ROCTreeClassifier(max_depth=3)"
