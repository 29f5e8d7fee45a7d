"""OpenML, by recorded answers on a local server."""

import gzip
import json
from hashlib import md5
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import numpy as np
import pytest
from sklearn.datasets import _openml

from roctree.errors import DataError
from roctree.experiment import BuiltIn, Folder, OpenML
from roctree.experiment.papers import openml_copies
from roctree.experiment.sources import UnknownDataSetError
from tests.shared_data import manifest

ARFF = """@relation weather
@attribute outlook {sunny,overcast,rain}
@attribute temperature numeric
@attribute play {no,yes}
@data
sunny,85,no
overcast,?,yes
rain,70,yes
?,65,no
"""


def feature(index, name, kind, target="false"):
    return {
        "index": str(index),
        "name": name,
        "data_type": kind,
        "is_target": target,
        "is_ignore": "false",
        "is_row_identifier": "false",
        "number_of_missing_values": "0",
    }


def answers(home):
    """What OpenML says about a data set, in the form it has."""
    found = {"did": 7, "name": "weather", "version": 1, "status": "active"}
    description = {
        "id": "7",
        "name": "weather",
        "version": "1",
        "format": "ARFF",
        "status": "active",
        "description": "play or not",
        "url": f"{home}/data/v1/download/7/weather.arff",
        "md5_checksum": md5(ARFF.encode()).hexdigest(),
    }
    features = [
        feature(0, "outlook", "nominal"),
        feature(1, "temperature", "numeric"),
        feature(2, "play", "nominal", "true"),
    ]
    qualities = [{"name": "NumberOfInstances", "value": "4.0"}]
    api = "/api/v1/json/data"
    return {
        f"{api}/list/data_name/weather/limit/2/data_version/1": {"data": {"dataset": [found]}},
        f"{api}/7": {"data_set_description": description},
        f"{api}/features/7": {"data_features": {"feature": features}},
        f"{api}/qualities/7": {"data_qualities": {"quality": qualities}},
    }


@pytest.fixture
def server(monkeypatch):
    """A server with these answers, and scikit-learn looking there; yields the paths asked for."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            known = answers(home)
            if self.path in known:
                body = json.dumps(known[self.path]).encode()
            elif self.path.endswith(".arff"):
                body = ARFF.encode()
            else:
                self.send_error(412)
                return
            self.send_response(200)
            self.send_header("Content-Encoding", "gzip")
            self.end_headers()
            self.wfile.write(gzip.compress(body))

        def log_message(self, *_):
            pass

    local = HTTPServer(("127.0.0.1", 0), Handler)
    home = f"http://127.0.0.1:{local.server_port}"
    for name in ("_SEARCH_NAME", "_DATA_INFO", "_DATA_FEATURES", "_DATA_QUALITIES"):
        address = getattr(_openml, name).replace("https://www.openml.org", home)
        monkeypatch.setattr(_openml, name, address)
    Thread(target=local.serve_forever, daemon=True).start()
    yield asked
    local.shutdown()
    local.server_close()


def test_a_data_set_is_fetched_by_name_with_its_categories(server, tmp_path):
    problem = OpenML(tmp_path).load("weather")
    assert problem.rows.categories == (("sunny", "overcast", "rain"), None)
    assert problem.rows.values[:3, 0].tolist() == [0.0, 1.0, 2.0]
    assert np.isnan(problem.rows.values[[3, 1], [0, 1]]).all()
    assert problem.y.tolist() == ["no", "yes", "yes", "no"]


def test_what_was_fetched_is_not_fetched_again(server, tmp_path):
    OpenML(tmp_path).load("weather")
    n_asked = len(server)
    OpenML(tmp_path).load("weather@1")
    assert len(server) == n_asked


def test_an_unknown_data_set_is_refused_in_one_sentence(server, tmp_path):
    with pytest.raises(DataError, match="'nothing' cannot be used"):
        OpenML(tmp_path).load("nothing")
    with pytest.raises(DataError, match="names no version"):
        OpenML(tmp_path).load("weather@first")


def test_what_is_not_known_there_is_told_from_what_cannot_be_read(server, tmp_path):
    with pytest.raises(UnknownDataSetError):
        OpenML(tmp_path).load("nothing")


PLAYED = {
    "openml": "weather",
    "derivation": {"drop_missing_rows": ["temperature"], "merge": {"out": ["yes"], "in": ["no"]}},
    "result": {"rows": 3, "nominal": 1, "numeric": 1, "classes": {"in": 2, "out": 1}},
}


def test_a_data_set_of_a_paper_is_derived_from_the_copy_at_openml(server, tmp_path, monkeypatch):
    monkeypatch.setattr(openml_copies, "copies", lambda: {"golf": PLAYED})
    problem = openml_copies.OpenMLCopies(OpenML(tmp_path)).load("golf")
    assert problem.rows.categories == (("rain", "sunny"), None)
    assert problem.rows.values[:, 1].tolist() == [85.0, 70.0, 65.0]
    assert problem.y.tolist() == ["in", "out", "in"]


@pytest.mark.parametrize(
    "change",
    [
        {"result": {"rows": 14}},
        {"derivation": {"drop_attributes": ["humidity"]}},
    ],
)
def test_a_copy_that_is_another_data_set_is_left_out(server, tmp_path, monkeypatch, change):
    monkeypatch.setattr(openml_copies, "copies", lambda: {"golf": PLAYED | change})
    with pytest.raises(UnknownDataSetError, match="'weather' is not the data set of the papers"):
        openml_copies.OpenMLCopies(OpenML(tmp_path)).load("golf")


def test_the_copies_at_openml_have_the_sizes_of_the_papers_data_sets():
    variants = [each for entry in manifest().values() for each in entry["variants"]]
    known = {each["id"]: each["result"] for each in variants}
    for name, copy in openml_copies.copies().items():
        assert copy["result"].items() <= known[name].items(), name


def test_a_user_names_a_source_by_one_word(tmp_path):
    assert openml_copies.source_of(None) == BuiltIn()
    assert openml_copies.source_of("openml").names() == sorted(openml_copies.copies())
    assert openml_copies.source_of(str(tmp_path)) == Folder(tmp_path)
    with pytest.raises(UnknownDataSetError, match="OpenML has no data set 'waveform'"):
        openml_copies.source_of("openml").load("waveform")


def test_without_a_network_one_sentence_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(_openml, "_SEARCH_NAME", "http://127.0.0.1:9/{}")
    with pytest.raises(DataError, match="does not answer"):
        OpenML(tmp_path, retries=1).load("weather")
