//! The measurements of a run as JSON.

use serde_json::{Value, json};

use crate::figure::{Measured, median, spread};
use crate::{Options, Outcome};

/// Writes all measurements to `target/bench-results/BENCH-FORM.json`.
pub fn write(bench: &str, options: &Options, sides: [&str; 2], rows: &[Measured]) -> Outcome<()> {
    let program = std::env::current_exe()?;
    let target = program.ancestors().nth(3).ok_or("this program is not in a target folder")?;
    let folder = target.join("bench-results");
    std::fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{bench}-{}.json", options.form.name()));
    let results = json!({
        "bench": bench,
        "arguments": options.given,
        "rows": rows.iter().map(|row| of_row(sides, row)).collect::<Vec<_>>(),
    });
    std::fs::write(&path, serde_json::to_string_pretty(&results)? + "\n")?;
    eprintln!("the same as JSON: {}", path.display());
    Ok(())
}

fn of_row([base, subject]: [&str; 2], measured: &Measured) -> Value {
    let side = |values: &[f64]| json!({"rounds": values, "median": median(values), "spread": spread(values)});
    json!({
        "name": measured.row.name,
        "what": measured.row.what,
        "goal": measured.row.goal,
        base: side(&measured.base),
        subject: side(&measured.subject),
        "ratio": side(&measured.ratios()),
    })
}
