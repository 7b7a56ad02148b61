use std::sync::Arc;

use serde_json::{Value, json};

use super::{Template, Values};

fn values() -> Values {
    let values = json!({
        "write": {"text": "Hello", "n": 3, "big": 18446744073709551615u64, "list": [3, 1, 2], "none": null,
            "people": [{"name": "Zoe", "age": 30}, {"name": "adam", "age": 41}], "object": {"b": 1, "a": [true]}},
        "vars": {"flag": true, "rate": 0.5},
        "start": {"topic": "ships"},
    });
    values.as_object().unwrap().iter().map(|(name, value)| (name.clone(), Arc::new(value.clone()))).collect()
}

fn give(template: Value) -> Result<Value, String> {
    let template = Template::read(&template).map_err(|error| error.to_string())?;
    template.evaluate(&values()).map_err(|error| error.to_string())
}

#[track_caller]
fn gives(template: &str, expected: Value) {
    assert_eq!(give(json!(template)), Ok(expected), "{template}");
}

#[track_caller]
fn fails(template: &str, why: &str) {
    let error = give(json!(template)).expect_err(template);
    assert!(error.contains(why), "{template}: {error}");
}

#[test]
fn single_expression_evaluates_to_its_own_value() {
    gives("{{ write.n }}", json!(3));
    gives("{{ write.big }}", json!(18446744073709551615u64));
    gives("{{write.list}}", json!([3, 1, 2]));
    gives("{{ write.object }}", json!({"b": 1, "a": [true]}));
    gives("{{ write.n + 1 }}", json!(4));
    gives("{{ write.n / 2 }}", json!(1.5));
    gives("{{ 7 // 2 }}", json!(3));
    gives("{{ -write.n ** 2 }}", json!(9));
    gives("{{ write.people[1].name }}", json!("adam"));
    gives("{{ write['text'] }}", json!("Hello"));
    gives("{{ write.list[-1] }}", json!(2));
    gives("{{ write.list[1:] }}", json!([1, 2]));
    gives("{{ write.text[1:3] }}", json!("el"));
    gives("{{ missing.knows.it }}", Value::Null);
    gives("{{ missing.text or write.text }}", json!("Hello"));
    gives("{{ write.n > 2 and vars.flag }}", json!(true));
    gives("{{ missing > 3 }}", json!(false));
    gives("{{ 1 < write.n <= 3 }}", json!(true));
    gives("{{ 'ell' in write.text }}", json!(true));
    gives("{{ 4 not in write.list }}", json!(true));
    gives("{{ 'yes' if vars.flag else 'no' }}", json!("yes"));
    gives("{{ [write.n, {'a': write.text}] }}", json!([3, {"a": "Hello"}]));
    gives("{{ 1 == 1.0 }}", json!(true));
    gives("{{ range(1, 6, 2) }}", json!([1, 3, 5]));
    gives("{{ nothing == none }}", json!(true));
}

#[test]
fn other_texts_evaluate_to_text() {
    gives(" {{ write.n }}", json!(" 3"));
    gives("{{ write.text }}, {{ start.topic }}!\n", json!("Hello, ships!\n"));
    gives("{{ write.list }}{{ missing }}{{ write.none }}", json!("[3,1,2]"));
    gives("{{ vars.flag }} {{ vars.rate }} {{ 2.0 }}", json!("true 0.5 2.0"));
    gives(
        "{% for p in write.people if p.age > 35 %}{{ loop.index }}:{{ p.name }}{% endfor %}",
        json!("1:adam"),
    );
    gives("{% for p in missing %}x{% else %}none{% endfor %}", json!("none"));
    gives("{% for a, b in write.object|items %}{{ a }}{{ b }};{% endfor %}", json!("a[true];b1;"));
    gives(
        "{% set x = write.n %}{% if x == 3 %}three{% elif x %}some{% else %}none{% endif %}",
        json!("three"),
    );
    gives("{% set x %}a{{ write.n }}{% endset %}{{ x|upper }}", json!("A3"));
    gives("{% with a = 1, b = 2 %}{{ a + b }}{% endwith %}", json!("3"));
    gives("{% filter upper %}x{{ write.text }}{% endfilter %}", json!("XHELLO"));
    gives("{% raw %}{{ kept }}{% endraw %}", json!("{{ kept }}"));
    gives("a{# nothing #}b", json!("ab"));
}

#[test]
fn expressions_in_objects_and_lists_are_evaluated() {
    let template = json!({"a": ["{{ write.n }}", 1, {"b": "{{ write.text }}!"}], "{{ key }}": true});
    assert_eq!(give(template), Ok(json!({"a": [3, 1, {"b": "Hello!"}], "{{ key }}": true})));
}

#[test]
fn filters_and_tests() {
    gives("{{ write.people|map(attribute='name')|join(', ') }}", json!("Zoe, adam"));
    gives("{{ write.people|sort(attribute='name')|map(attribute='age') }}", json!([41, 30]));
    gives("{{ write.people|selectattr('age', 'gt', 35)|first }}", json!({"name": "adam", "age": 41}));
    gives("{{ write.people|selectattr('missing')|list }}", json!([]));
    gives("{{ write.list|sort(reverse=true) }}", json!([3, 2, 1]));
    gives("{{ write.list|select('odd')|list }}", json!([3, 1]));
    gives("{{ ['a', 'b']|map('upper')|list }}", json!(["A", "B"]));
    gives("{{ [1, 1, 2]|unique }}", json!([1, 2]));
    gives("{{ write.list|sum }}", json!(6));
    gives("{{ [write.list|min, write.list|max] }}", json!([1, 3]));
    gives("{{ write.list|last }}", json!(2));
    gives("{{ [1, 2, 3]|batch(2, 0) }}", json!([[1, 2], [3, 0]]));
    gives("{{ write.people|groupby('age')|map(attribute='grouper') }}", json!([30, 41]));
    gives("{{ write.object|items|dict }}", json!({"a": [true], "b": 1}));
    gives("{{ missing|default('x') }}", json!("x"));
    gives("{{ ''|default('x', true) }}", json!("x"));
    gives("{{ write.text|length }}", json!(5));
    gives("{{ 'a b  c'|split }}", json!(["a", "b", "c"]));
    gives("{{ 'a,b'|split(',')|length }}", json!(2));
    gives("{{ 'one two three'|truncate(9) }}", json!("one..."));
    gives("{{ ' x '|trim ~ 'xax'|trim('x') }}", json!("xa"));
    gives("{{ 'ab'|replace('a', 'c')|title }}", json!("Cb"));
    gives("{{ 'a\nb'|indent(2) }}", json!("a\n  b"));
    gives("{{ 'a b/ä'|urlencode }}", json!("a%20b%2F%C3%A4"));
    gives("{{ 2.567|round(1) }}", json!(2.6));
    gives("{{ '12.9'|int + '1'|float }}", json!(13.0));
    gives("{{ 'x'|int(0) }}", json!(0));
    gives("{{ write.object|tojson }}", json!("{\"a\":[true],\"b\":1}"));
    gives("{{ '{\"a\": 1}'|fromjson }}", json!({"a": 1}));
    gives("{{ write.text is string and write.n is not string and missing is undefined }}", json!(true));
    gives("{{ 4 is divisibleby 2 }}", json!(true));
    gives("{{ write.text is startingwith 'He' }}", json!(true));
}

#[test]
fn errors_describe_the_problem() {
    fails("{{ write.", "unexpected end of input");
    fails("{{ write.text|shout }}", "there is no filter \"shout\"");
    fails("{{ write.text is loud }}", "there is no test \"loud\"");
    fails("{{ open('/etc/passwd') }}", "there is no function \"open\"");
    fails("{{ write.text.upper() }}", "values have no functions");
    fails("{% include 'other' %}", "unknown statement");
    fails("{% macro x() %}{% endmacro %}", "unknown statement");
    fails("{{ write.text + 1 }}", "`+` cannot be applied to a string and a number");
    fails("{{ write.text > 1 }}", "a string cannot be compared with a number");
    fails("{{ 1 // 0 }}", "division by zero");
    fails("{{ 9223372036854775807 * 9 }}", "too large a number");
    fails("{{ 'x'|int }}", "`int`: a string says no number");
    fails("{{ write.list|first(2) }}", "there are too many arguments");
    fails("{{ write.list|sort(by=2) }}", "there is no argument \"by\"");
}

#[test]
fn references_are_the_static_parts_of_paths() {
    let template = json!({"a": "{{ write.people[0].name }} {{ write.text }}{{ write['n'] }}", "b": [
        "{% for p in write.people %}{{ p.name }}{{ loop.index }}{% endfor %}",
        "{% set x = vars.flag %}{{ x.y }}{% if start.topic == x %}{{ write[start.topic].z }}{% endif %}",
        "{{ [1, 2]|map('string')|list }}{{ a.b|default(c.d) }}"
    ]});
    let template = Template::read(&template).unwrap();
    let references: Vec<String> = template.references().iter().map(|path| path.join(".")).collect();
    let mut expected =
        ["write.people", "write.text", "write.n", "vars.flag", "start.topic", "write", "a.b", "c.d"].to_vec();
    let mut found: Vec<&str> = references.iter().map(String::as_str).collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn evaluation_is_limited_by_the_budget() {
    fails("{{ 'x' * 99999999 }}", "more than 1 MiB");
    fails("{{ ('x' * 1000000) * 1000000 }}", "more than 1 MiB");
    let doubling = "{% set a = a ~ a %}".repeat(100);
    fails(&format!("{{% set a = 'xxxxxxxx' %}}{doubling}"), "more than 1 MiB");
    let doubling = "{% set a = [a, a] %}".repeat(100);
    fails(&format!("{{% set a = 'xxxxxxxx' %}}{doubling}{{{{ a }}}}"), "the template");
    let deeper = format!("{{% set a = {}a{} %}}", "[".repeat(60), "]".repeat(60)).repeat(190);
    fails(&format!("{deeper}{{{{ a }}}}"), "nested deeper");
    let loops = "{% for i in range(10000) %}".repeat(3) + &"{% endfor %}".repeat(3);
    fails(&loops, "ran too long");
    fails("{{ range(99999999) }}", "at most 10000");
    fails("{% for i in range(10000) %}{{ 'xxxxxxxxxx' * 100 }}{% endfor %}", "more than 1 MiB");
    fails("{{ ('x' * 100000)|replace('x', 'y' * 100000) }}", "more than 1 MiB");
    fails("{{ 'x'|indent(100000) }}", "at most 100 spaces");
    let wide = "{{ x }}".repeat(100_000);
    fails(&wide, "at most 256 KiB");
    for deep in ["(", "[", "not ", "-", "x if ", "{'a':"] {
        fails(&format!("{{{{ {} }}}}", deep.repeat(390)), "");
        fails(&format!("{{{{ {} }}}}", deep.repeat(5_000)), "");
    }
    fails(&"{% if x %}".repeat(5_000), "");
    fails(&"{% if x %}".repeat(190), "");
    fails(&format!("{{% if x %}}{}{{% endif %}}", "{% elif y %}".repeat(5_000)), "at most 200 statements");
    assert!(give(json!(format!("{{% if x %}}{}{{% endif %}}", "{% elif y %}".repeat(150)))).is_ok());
    assert!(give(json!(format!("{{{{ {}1 }}}}", "1 + ".repeat(150)))).is_ok());
    fails(&format!("{{{{ {}1 }}}}", "1 + ".repeat(250)), "too long");
    fails(&format!("{{{{ x{} }}}}", ".a".repeat(5_000)), "too long");
    let mut nested = json!("{{ write.n }}");
    for _ in 0..200 {
        nested = json!([nested]);
    }
    assert!(give(nested).unwrap_err().contains("nested deeper"));
}

#[test]
fn sort_orders_numbers_exactly() {
    // With rounding, the equality of the first three would depend on which two are compared.
    let numbers = "[9007199254740993, 9007199254740992.0, 9007199254740992, 1.5, 1, -0.0, 0, -1.5, -1]";
    let expected =
        json!([-1.5, -1, -0.0, 0, 1, 1.5, 9007199254740992.0, 9007199254740992i64, 9007199254740993i64]);
    gives(&format!("{{{{ {numbers}|sort }}}}"), expected);
    let many: Vec<String> = (0..20_000u64).map(|n| (n * 7919 % 10_007).to_string()).collect();
    let sorted = give(json!(format!("{{{{ '{}'|split|map('int')|sort|first }}}}", many.join(" "))));
    assert_eq!(sorted, Ok(json!(0)));
}

#[test]
fn large_input_values_are_not_copied() {
    let big: Vec<Value> = (0..100_000).map(|n| json!({"name": format!("item number {n}"), "n": n})).collect();
    let values: Values = [("big".to_owned(), Arc::new(json!({ "items": big })))].into();
    let evaluate = |text: &str| Template::read(&json!(text)).unwrap().evaluate(&values).unwrap();
    assert_eq!(evaluate("{{ big.items }}").as_array().unwrap().len(), 100_000);
    let begin = std::time::Instant::now();
    for _ in 0..1_000 {
        assert_eq!(evaluate("{{ big.items[3].name }}"), json!("item number 3"));
        assert_eq!(evaluate("{{ big.items|length + 1 }}"), json!(100_001));
    }
    // Copying the list even once per iteration would take minutes.
    assert!(begin.elapsed().as_secs() < 60);
    assert_eq!(evaluate("{{ big.items|map(attribute='n')|sum }}"), json!(4_999_950_000u64));
}

/// Evaluates random texts composed of template fragments: reading and evaluating any text terminates soon, with a value
/// or an error.
#[test]
fn random_texts_terminate() {
    use rand::seq::IndexedRandom;
    use rand::{Rng, SeedableRng};
    let filters: Vec<String> = super::filters::names().map(|name| format!("|{name}")).collect();
    let words = [
        "{{ ",
        " }}",
        "{% ",
        " %}",
        "if ",
        "else",
        "endif",
        "for x in ",
        "endfor",
        "set x = ",
        "write",
        ".text",
        ".list",
        ".people",
        "vars.rate",
        "x",
        "loop.index",
        "[",
        "]",
        "(",
        ")",
        "{",
        "}",
        ", ",
        ": ",
        " + ",
        " - ",
        " * ",
        " / ",
        " // ",
        " % ",
        " ** ",
        " ~ ",
        " == ",
        " < ",
        " in ",
        " and ",
        " not ",
        "1",
        "0",
        "-7",
        "2.5",
        "99999999999",
        "'a'",
        "''",
        "'é'",
        "none",
        "true",
        "range(9)",
        "[0]",
        "[-1]",
        "[1:]",
        " is odd",
        " is defined",
        "('x')",
        "(2)",
        "(attribute='a')",
        " if ",
        "{# ",
        " #}",
        "raw",
        "endraw",
        "|map('upper')",
        "|map(attribute='name')",
        "18446744073709551615",
    ];
    let mut rng = rand::rngs::StdRng::seed_from_u64(7);
    let (mut read, mut evaluated) = (0, 0);
    for round in 0..30_000 {
        let mut text = String::new();
        // Every second text starts with an expression; otherwise most texts would contain none.
        let expression = round % 2 == 0;
        text.push_str(if expression { "{{ write" } else { "" });
        for _ in 0..rng.random_range(1..8) {
            let word = match rng.random_bool(0.3) {
                true => filters.choose(&mut rng).unwrap().as_str(),
                false => words.choose(&mut rng).unwrap(),
            };
            text.push_str(word);
        }
        text.push_str(if expression { " }}" } else { "" });
        if let Ok(template) = Template::read(&json!(text)) {
            read += 1;
            evaluated += usize::from(template.evaluate(&values()).is_ok());
        }
    }
    assert!(read > 1_000 && evaluated > 300, "{read} were read and {evaluated} gave something");
}
