//! Reading and writing by index.
//!
//! Invariants: an index outside the axis is a typed error, never a read or write elsewhere; elements that are read
//! several times receive the sum of their gradients, in an order that does not depend on the number of threads.

use tensor_rt::prelude::*;

tensor_fn! {
    /// Rows of a table by id: `y[.., c] = table[ids[..], c]`.
    ///
    /// Gradient: `dtable[v]` is the sum of `dy` over the places where `v` stands.
    /// # Errors
    /// Fails if an id is negative or not below the number of rows, or memory runs out.
    pub fn embedding(table: &Tensor[V, C], ids: &Tensor<i64>[..]) -> Tensor[.., C] {
        table[ids, C]
    }

    /// Elements of each row by an index list of its own: `y[n, k] = x[n, i[n, k]]`.
    ///
    /// Gradient: `dx[n, c]` is the sum of `dy[n, k]` over the `k` with `i[n, k] = c`.
    /// # Errors
    /// Fails if an index is outside the row, `x` and `i` disagree on `N`, or memory runs out.
    pub fn gather(x: &Tensor[N, C], i: &Tensor<i64>[N, K]) -> Tensor[N, K] {
        x[N, i]
    }

    /// Entries along the first axis by one list: `y[k, ..] = x[i[k], ..]`.
    ///
    /// Gradient: `dx[n]` is the sum of `dy[k]` over the `k` with `i[k] = n`.
    /// # Errors
    /// Fails if an index is outside the axis, or memory runs out.
    pub fn index_select(x: &Tensor[N, ..], i: &Tensor<i64>[K]) -> Tensor[K, ..] {
        x[i, ..]
    }

    /// Elements along the last axis by one list: `y[.., k] = x[.., i[k]]`.
    ///
    /// Gradient: `dx[.., c]` is the sum of `dy[.., k]` over the `k` with `i[k] = c`.
    /// # Errors
    /// Fails if an index is outside the axis, or memory runs out.
    pub fn index_select_last(x: &Tensor[.., C], i: &Tensor<i64>[K]) -> Tensor[.., K] {
        x[.., i]
    }

    /// Adds to each row, in place, values at an index list of its own: `y[n, i[n, k]] += source[n, k]`.
    ///
    /// An index may stand in the list several times.
    /// # Errors
    /// Fails if an index is outside the row, an axis has two sizes, or memory runs out.
    pub fn scatter_add_into(y: &mut Tensor[N, C], i: &Tensor<i64>[N, K], source: &Tensor[N, K]) {
        y[N, i] += source;
    }

    /// Sums of the rows of each segment: `y[s, ..] = sum_{ids[n] = s} x[n, ..]`.
    ///
    /// Gradient: `dx[n] = dy[ids[n]]`.
    /// # Errors
    /// Fails if an id is negative or not below `segments`, `x` and `ids` disagree on `N`, or memory runs out.
    pub fn segment_sum(x: &Tensor[N, ..], ids: &Tensor<i64>[N], segments: usize) -> Tensor[S = segments, ..] {
        assert!(ids >= 0 && ids < segments, "an id is not below the number of segments");
        sum[N](if ids == S { x } else { 0.0 })
    }

    /// A copy of `x` with values added to each row at an index list of its own: `x[n, i[n, k]] + source[n, k]`, summed
    /// over the places where an index stands.
    ///
    /// Gradient: `dx = dy`, `dsource[n, k] = dy[n, i[n, k]]`.
    /// # Errors
    /// Fails if an index is outside the row, an axis has two sizes, or memory runs out.
    pub fn scatter_add(x: &Tensor[N, C], i: &Tensor<i64>[N, K], source: &Tensor[N, K]) -> Tensor[N, C] {
        assert!(i >= 0 && i < size(C), "an index is outside the row");
        x + sum[K](if i == C { source } else { 0.0 })
    }

    /// A copy of `x` whose columns from `start` on are replaced by the columns of `source`.
    ///
    /// Gradient: `dx = 0` in the replaced columns, else `dy`; `dsource` is `dy` of the replaced columns.
    /// # Errors
    /// Fails if the columns reach beyond the row, the leading axes differ, or memory runs out.
    pub fn slice_assign(x: &Tensor[.., C], source: &Tensor[.., K], start: usize) -> Tensor[.., C] {
        assert!(start + size(K) <= size(C), "the columns reach beyond the row");
        if C >= start && C < start + size(K) { source[.., C - start] } else { x }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Traced, array, assert_close, check_gradients, gradient};

    fn indices<const R: usize>(shape: [usize; R], values: &[i64]) -> Tensor<Cpu, NoGrad, i64> {
        Tensor::from_vec(&Cpu, values.to_vec(), shape).unwrap()
    }

    #[test]
    fn an_embedding_sums_the_gradients_of_repeated_ids() {
        let table = array([3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let ids = indices([2, 2], &[1, 1, 0, 1]);
        let y = embedding(&table, &ids).unwrap();
        assert_eq!(y.shape(), &[2, 2, 2]);
        assert_close("embedding", &y, &[3.0, 4.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0], 0.0);
        let g = array([2, 2, 2], &[1.0, 2.0, 10.0, 20.0, 100.0, 200.0, 1000.0, 2000.0]);
        let dtable = gradient(&table, &g, |table| embedding(table, &ids));
        assert_close("embedding", &dtable, &[100.0, 200.0, 1011.0, 2022.0, 0.0, 0.0], 0.0);
    }

    #[test]
    fn an_index_outside_is_an_error_with_its_place() {
        let table = array([3, 2], &[0.0; 6]);
        for wrong in [3, -1] {
            let error = embedding(&table, &indices([2], &[0, wrong])).unwrap_err().to_string();
            assert!(error.starts_with("embedding: ") && error.contains(&wrong.to_string()), "{error}");
        }
        assert!(gather(&table, &indices([3, 1], &[0, 2, 0])).is_err());
        assert!(index_select(&table, &indices([1], &[3])).is_err());
        assert!(index_select_last(&table, &indices([1], &[2])).is_err());
        let mut y = array([1, 2], &[1.0, 2.0]);
        assert!(scatter_add_into(&mut y, &indices([1, 1], &[2]), &array([1, 1], &[1.0])).is_err());
    }

    #[test]
    fn selections_by_hand() {
        let x = array([2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_close("gather", &gather(&x, &indices([2, 2], &[0, 0, 2, 1])).unwrap(), &[1.0, 1.0, 6.0, 5.0], 0.0);
        let rows = index_select(&x, &indices([2], &[1, 1])).unwrap();
        assert_close("index_select", &rows, &[4.0, 5.0, 6.0, 4.0, 5.0, 6.0], 0.0);
        let columns = index_select_last(&x, &indices([1], &[1])).unwrap();
        assert_close("index_select_last", &columns, &[2.0, 5.0], 0.0);
    }

    #[test]
    fn repeated_indices_lose_no_update() {
        let (i, source) = (indices([1, 4], &[0, 0, 2, 0]), array([1, 4], &[1.0, 2.0, 4.0, 8.0]));
        let x = array([1, 3], &[0.0; 3]);
        assert_close("scatter_add", &scatter_add(&x, &i, &source).unwrap(), &[11.0, 0.0, 4.0], 0.0);
        let mut y = x.clone();
        scatter_add_into(&mut y, &i, &source).unwrap();
        assert_close("scatter_add_into", &y, &[11.0, 0.0, 4.0], 0.0);
        assert_close("untouched", &x, &[0.0; 3], 0.0);
        let rows = source.reshape([4, 1]).unwrap();
        let sums = segment_sum(&rows, &indices([4], &[2, 0, 2, 0]), 3).unwrap();
        assert_close("segment_sum", &sums, &[10.0, 0.0, 5.0], 0.0);
        for wrong in [3, -1] {
            let error = segment_sum(&rows, &indices([4], &[2, 0, wrong, 0]), 3).unwrap_err().to_string();
            assert!(
                error.starts_with("segment_sum: an id is not below the number of segments (element [2])"),
                "{error}"
            );
            let error = scatter_add(&x, &indices([1, 4], &[0, wrong, 0, 0]), &source).unwrap_err().to_string();
            assert!(error.starts_with("scatter_add: an index is outside the row (element [0, 1])"), "{error}");
        }
    }

    #[test]
    fn slices_are_replaced_within_the_row() {
        let (x, source) = (array([1, 4], &[1.0, 2.0, 3.0, 4.0]), array([1, 2], &[10.0, 20.0]));
        let assign = |start| slice_assign(&x, &source, start).unwrap();
        assert_close("slice_assign", &assign(1), &[1.0, 10.0, 20.0, 4.0], 0.0);
        assert_close("slice_assign", &assign(2), &[1.0, 2.0, 10.0, 20.0], 0.0);
        for start in [3, 9] {
            let error = slice_assign(&x, &source, start).unwrap_err().to_string();
            assert!(error.starts_with("slice_assign: the columns reach beyond the row"), "{error}");
        }
    }

    #[test]
    fn gradients_match_finite_differences() {
        let x = array([2, 3], &[0.5, -1.0, 2.0, 0.25, -0.5, 1.5]);
        let z = array([2, 2], &[1.0, -0.5, 0.75, 2.0]);
        let i = indices([2, 2], &[0, 0, 2, 1]);
        let list = indices([3], &[1, 0, 1]);
        check_gradients("embedding", &[&x], |inputs: &[Traced]| embedding(&inputs[0], &list));
        check_gradients("gather", &[&x], |inputs: &[Traced]| gather(&inputs[0], &i));
        check_gradients("index_select", &[&x], |inputs: &[Traced]| index_select(&inputs[0], &list));
        check_gradients("index_select_last", &[&x], |inputs: &[Traced]| index_select_last(&inputs[0], &list));
        check_gradients("scatter_add", &[&x, &z], |inputs: &[Traced]| scatter_add(&inputs[0], &i, &inputs[1]));
        check_gradients("segment_sum", &[&x], |inputs: &[Traced]| segment_sum(&inputs[0], &indices([2], &[1, 1]), 3));
        check_gradients("slice_assign", &[&x, &z], |inputs: &[Traced]| slice_assign(&inputs[0], &inputs[1], 1));
    }
}
