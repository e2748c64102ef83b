"""The page of metrics in both formats, and which one is answered.

Source: controller/metrics/README.md, "Pages"; OpenMetrics 1.0.0.
"""

import subprocess

import pytest
from prometheus_client.openmetrics.parser import (
    text_string_to_metric_families as openmetrics_families,
)
from prometheus_client.parser import text_string_to_metric_families

from controller.metrics.definitions import BY_NAME, METRICS
from controller.metrics.exposition import Exposition, Format, format_for
from controller.metrics.samples import Samples, observe, zeros

ODD = 'a "quoted" \\ name\n'


def every_sample() -> Samples:
    """A sample of each metric, with odd values of those labels that are not closed."""
    found: Samples = {}
    for one in METRICS:
        found |= zeros(one, **{label: (ODD,) for label, values in one.labels if not values})
    found["table_info"] = dict.fromkeys(found["table_info"], 1)
    return found


def page(form: Format) -> str:
    return Exposition("M7", ODD).text(every_sample(), form).decode()


@pytest.mark.needs("prometheus")
def test_promtool_accepts_every_metric() -> None:
    checked = subprocess.run(
        ["promtool", "check", "metrics"],
        input=page(Format.TEXT),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


def test_both_formats_have_the_same_values() -> None:
    text = {
        (sample.name, *sample.labels.items()): sample.value
        for one in text_string_to_metric_families(page(Format.TEXT))
        for sample in one.samples
    }
    openmetrics = {
        (sample.name, *sample.labels.items()): sample.value
        for one in openmetrics_families(page(Format.OPENMETRICS))
        for sample in one.samples
    }
    assert len(text) > len(METRICS)
    assert text == openmetrics
    assert {dict(labels)["pit"] for _, *labels in text} == {ODD}


def test_the_buckets_of_a_histogram_are_added_up() -> None:
    samples = zeros(BY_NAME["coup_seconds"])
    for seconds in (4.0, 5.0, 11.0, 500.0):
        observe(samples, "coup_seconds", seconds)
    lines = Exposition("M7", "3").text(samples, Format.TEXT).decode().splitlines()[2:]
    values = {line.partition("{")[2].partition(",")[0]: line.split()[-1] for line in lines[:-2]}
    assert values == {
        'le="5.0"': "2",
        'le="10.0"': "2",
        'le="15.0"': "3",
        **{f'le="{bound}"': "3" for bound in (20.0, 30.0, 45.0, 60.0, 120.0)},
        'le="+Inf"': "4",
    }
    assert lines[-2].endswith('_count{table="M7",pit="3"} 4')
    assert lines[-1].endswith('_sum{table="M7",pit="3"} 520.0')


def test_a_metric_without_samples_is_left_out() -> None:
    assert Exposition("M7", "3").text({}, Format.OPENMETRICS) == b"# EOF\n"
    assert Exposition("M7", "3").text({"cards_at": {}}, Format.TEXT) == b""


def test_kept_beginnings_of_lines_are_bounded() -> None:
    exposition = Exposition("M7", "3")
    for number in range(Exposition.LINES_MAX + 2):
        exposition.text({"table_info": {("1", "b", "p", "d", str(number)): 1}}, Format.TEXT)
    assert len(exposition._beginnings) <= Exposition.LINES_MAX + 1


PROMETHEUS_2 = (
    "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
    "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
)
PROMETHEUS_3 = (
    "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
    "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
)


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        (PROMETHEUS_2, Format.OPENMETRICS),
        (PROMETHEUS_3, Format.OPENMETRICS),
        ("application/openmetrics-text", Format.OPENMETRICS),
        ("application/openmetrics-text; q=0.2, text/plain; q=0.9", Format.TEXT),
        ("application/openmetrics-text; q=0", Format.TEXT),
        ("application/openmetrics-text; version=2.0.0", Format.TEXT),
        ("text/plain", Format.TEXT),
        ("*/*", Format.TEXT),
        ("", Format.TEXT),
        (";;,,q=", Format.TEXT),
    ],
)
def test_the_format_is_the_one_that_the_request_prefers(accept: str, form: Format) -> None:
    assert format_for(accept) is form
