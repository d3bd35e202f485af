//! The name that a user may have meant.

/// The candidate nearest to `name`, if it is near.
pub(super) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match name.chars().count() {
        0 | 1 => 0,
        2..=4 => 1,
        _ => 2,
    };
    let measured = candidates.into_iter().map(|candidate| (distance(name, candidate), candidate));
    measured.filter(|&(distance, _)| distance <= limit).min_by_key(|&(distance, _)| distance).map(|(_, name)| name)
}

/// Insertions, deletions and replacements that turn one word into the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for j in 0..b.len() {
            let replaced = diagonal + usize::from(letter != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
