//! The cost of a span without an exporter, compared with a span that is recorded.
//!
//! `cargo bench --bench spans`

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use telemetry::export::{Settings, start};
use telemetry::trace::{Kind, span};

/// Creates the span of a model call, as the server does.
fn model_call(model: &str) {
    let mut span = span(Kind::Client, None, || format!("chat {model}"));
    span.set(|attributes| {
        attributes.text("gen_ai.operation.name", "chat").text("gen_ai.request.model", model);
        attributes.int("gen_ai.usage.input_tokens", 812).int("gen_ai.usage.output_tokens", 97);
    });
}

fn spans(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("span");
    group.bench_function("disabled", |bencher| bencher.iter(|| model_call(black_box("scribe"))));
    // Nothing listens on port 9: spans are recorded and queued, and dropped when the queue is full.
    let settings = Settings {
        traces: Some("http://127.0.0.1:9/v1/traces".to_owned()),
        metrics: None,
        headers: Vec::new(),
        resource: Vec::new(),
        sample_ratio: 1.0,
        content_bytes: 0,
        propagate: false,
        accept: false,
        queue_spans: 2_048,
        batch_spans: 512,
        export_every: Duration::from_secs(5),
        metrics_every: Duration::from_secs(60),
        timeout: Duration::from_secs(10),
        retry: Duration::from_secs(1),
    };
    let exporter = start(settings, Box::new(|| None)).expect("settings that can be used");
    assert!(exporter.is_some(), "another exporter was started in this process");
    group.bench_function("recorded", |bencher| bencher.iter(|| model_call(black_box("scribe"))));
    group.finish();
}

criterion_group!(benches, spans);
criterion_main!(benches);
