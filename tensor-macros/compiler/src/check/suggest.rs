//! The name that a user may have meant.

/// The candidate nearest to `name`, if it is near.
pub(super) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match name.chars().count() {
        0 | 1 => 0,
        2..=6 => 1,
        _ => 2,
    };
    let measured = candidates.into_iter().map(|candidate| (distance(name, candidate), candidate));
    // Of two that are as near, the one of the same length: letters are swapped more often than left out.
    let rank = |&(distance, candidate): &(usize, &str)| (distance, candidate.len().abs_diff(name.len()));
    measured.filter(|&(distance, _)| distance <= limit).min_by_key(rank).map(|(_, name)| name)
}

/// Insertions, deletions, replacements and swaps of neighbors that turn one word into the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    // `rows[i][j]` is the distance of the first `i` letters of `a` and the first `j` of `b`.
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
