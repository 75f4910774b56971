//! Plots, as SVG with their numbers in words.
//!
//! In: labelled numbers. Out: an image that names itself, with a title for each mark. Colours are classes of the
//! style sheet. Never without the numbers as text: a reader who cannot see it gets the same.

use maud::{Markup, html};

/// A number with its label.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// What it is of.
    pub label: String,
    /// How much.
    pub value: f64,
    /// The number in words.
    pub shown: String,
}

impl Point {
    /// Makes a point of a whole number.
    pub fn count(label: impl Into<String>, value: u64) -> Self {
        Self { label: label.into(), value: value as f64, shown: thousands(value) }
    }
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 160.0;
const BASE: f64 = HEIGHT - 22.0;
const TOP: f64 = 12.0;

/// Draws upright bars over time, the first and the last one labelled.
pub fn bars_over_time(name: &str, points: &[Point]) -> Markup {
    let most = points.iter().map(|point| point.value).fold(0.0, f64::max);
    let step = WIDTH / (points.len().max(1) as f64);
    let height = |value: f64| if most > 0.0 { value / most * (BASE - TOP) } else { 0.0 };
    let last = points.len().saturating_sub(1);
    let peak = points.iter().find(|point| point.value >= most && most > 0.0);
    html! {
        figure.plot {
            figcaption { (name) @if let Some(peak) = peak { span.dim { " · most " (peak.shown) } } }
            svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(spoken(name, points)) {
                line.axis x1="0" x2=(WIDTH) y1=(BASE) y2=(BASE) {}
                @for (at, point) in points.iter().enumerate() {
                    @let tall = height(point.value).max(if point.value > 0.0 { 2.0 } else { 0.0 });
                    @let x = at as f64 * step;
                    rect.bar x=(round(x + step * 0.15)) y=(round(BASE - tall)) width=(round(step * 0.7))
                        height=(round(tall)) rx="2" { title { (point.label) ": " (point.shown) } }
                    @if at == 0 || at == last {
                        text.tick x=(if at == 0 { 0.0 } else { WIDTH }) y=(HEIGHT - 6.0)
                            text-anchor=(if at == 0 { "start" } else { "end" }) { (point.label) }
                    }
                }
            }
        }
    }
}

/// Draws level bars, one a line, with the numbers beside them.
pub fn level_bars(name: &str, points: &[Point]) -> Markup {
    let most = points.iter().map(|point| point.value).fold(0.0, f64::max);
    html! {
        figure.plot.level {
            figcaption { (name) }
            dl {
                @for point in points {
                    dt { (point.label) }
                    dd {
                        svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" {
                            rect.track width="100" height="8" rx="2" {}
                            rect.bar width=(share(point.value, most)) height="8" rx="2" {}
                        }
                        span { (point.shown) }
                    }
                }
            }
        }
    }
}

/// Draws a small line without axes.
pub fn sparkline(name: &str, points: &[Point]) -> Markup {
    let most = points.iter().map(|point| point.value).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let step = 96.0 / (points.len().saturating_sub(1).max(1) as f64);
    let place = |(at, point): (usize, &Point)| {
        format!("{},{}", round(2.0 + at as f64 * step), round(22.0 - point.value / most * 20.0))
    };
    let line: Vec<String> = points.iter().enumerate().map(place).collect();
    html! {
        svg.spark viewBox="0 0 100 24" role="img" aria-label=(spoken(name, points)) {
            polyline points=(line.join(" ")) {}
        }
    }
}

fn share(value: f64, most: f64) -> f64 {
    if most > 0.0 { round(value / most * 100.0) } else { 0.0 }
}

fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn spoken(name: &str, points: &[Point]) -> String {
    let words: Vec<String> =
        points.iter().map(|point| format!("{} {}", point.label, point.shown)).collect();
    format!("{name}: {}", words.join(", "))
}

/// Writes a number with its thousands apart.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Writes millionths of a dollar as dollars: cents, or finer where there is less than one.
pub fn dollars(micro_dollars: u64) -> String {
    match micro_dollars {
        0 => "$0.00".to_owned(),
        1..10_000 => format!("${:.4}", micro_dollars as f64 / 1e6),
        _ => format!("${:.2}", micro_dollars as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_says_its_numbers() {
        let points = [Point::count("Mon", 2), Point::count("Tue", 0), Point::count("Wed", 1_200)];
        let drawn = bars_over_time("Tokens", &points).into_string();
        assert!(drawn.contains("aria-label=\"Tokens: Mon 2, Tue 0, Wed 1,200\""), "{drawn}");
        assert_eq!(drawn.matches("<rect").count(), 3);
        assert!(!drawn.contains("style=") && !drawn.contains("NaN"), "{drawn}");
        for empty in [bars_over_time("x", &[]), level_bars("x", &[]), sparkline("x", &[])] {
            assert!(!empty.into_string().contains("NaN"));
        }
    }

    #[test]
    fn numbers_for_people() {
        for (number, shown) in
            [(0, "0"), (999, "999"), (38_016, "38,016"), (1_234_567, "1,234,567")]
        {
            assert_eq!(thousands(number), shown);
        }
        for (number, shown) in
            [(0, "$0.00"), (42, "$0.0000"), (9_999, "$0.0100"), (20_000, "$0.02")]
        {
            assert_eq!(dollars(number), shown);
        }
    }
}
