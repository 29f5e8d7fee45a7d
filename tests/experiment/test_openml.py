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
from roctree.experiment import OpenML, UnknownDataSetError

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
    """OpenML's answers about a data set, by path."""
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
    """A local server with these answers for scikit-learn; yields the requested paths."""
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


def test_downloads_are_cached(server, tmp_path):
    OpenML(tmp_path).load("weather")
    n_asked = len(server)
    OpenML(tmp_path).load("weather@1")
    assert len(server) == n_asked


def test_an_unknown_data_set_is_rejected_in_one_sentence(server, tmp_path):
    with pytest.raises(DataError, match="Cannot use OpenML's data set 'nothing'"):
        OpenML(tmp_path).load("nothing")
    with pytest.raises(DataError, match="has no valid version"):
        OpenML(tmp_path).load("weather@first")


def test_unknown_data_sets_have_an_error_of_their_own(server, tmp_path):
    with pytest.raises(UnknownDataSetError):
        OpenML(tmp_path).load("nothing")


def test_a_network_failure_is_reported_in_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setattr(_openml, "_SEARCH_NAME", "http://127.0.0.1:9/{}")
    with pytest.raises(DataError, match="does not respond"):
        OpenML(tmp_path, retries=1).load("weather")
