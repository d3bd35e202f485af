//! What kernels find wrong, at which position.

use super::*;
use crate::error::ErrorKind;

tensor_fn! {
    fn take(x: &Tensor[N, C], ids: &Tensor<i64>[M]) -> Tensor[M, C] { x[ids, C] }

    fn summed(x: &Tensor[N], ids: &Tensor<i64>[M, K]) -> Tensor[M] { sum[K](x[ids]) }

    fn put(ids: &Tensor<i64>[N], x: &Tensor[N], segments: usize) -> Tensor[S = segments] { sum[N](if ids == S { x } else { 0.0 }) }

    fn add_at(acc: &atomic Tensor[B], bin: &Tensor<i64>[N], x: &Tensor[N]) { acc[bin] += x; }

    fn quotient(x: &Tensor<i64>[N], y: &Tensor<i64>[N]) -> Tensor<i64>[N] { x / y + x % y }

    fn checked(x: &Tensor[N, C]) -> Tensor[N] {
        assert!(x > -0.5, "too low");
        sum[C](x)
    }
}

fn kind<R>(result: Result<R>) -> ErrorKind {
    result.map(|_| ()).unwrap_err().kind()
}

#[test]
fn faults_agree() {
    mirrored(|| {
        let x = noise(&[6, 8], 1);
        let ids = Tensor::new_of::<i64>(&Cpu, [1, 3, 6, 0, -1]).unwrap();
        assert_eq!(kind(take(&x, &ids)), ErrorKind::IndexOutOfRange);
        let ids = Tensor::new_of::<i64>(&Cpu, [[1, 3], [0, 60], [9, 0]]).unwrap();
        assert_eq!(kind(summed(&noise(&[6], 1), &ids)), ErrorKind::IndexOutOfRange);
        let acc = noise(&[3], 1).into_atomic().unwrap();
        assert_eq!(
            kind(add_at(&acc, &Tensor::new_of::<i64>(&Cpu, [0, 4, 5]).unwrap(), &noise(&[3], 2))),
            ErrorKind::IndexOutOfRange
        );
        put(&Tensor::new_of::<i64>(&Cpu, [0, -4, 5]).unwrap(), &noise(&[3], 2), 3).unwrap();
        let dividend = Tensor::new_of::<i64>(&Cpu, [5, i64::MIN, 7]).unwrap();
        assert_eq!(
            kind(quotient(&dividend, &Tensor::new_of::<i64>(&Cpu, [2, 1, 0]).unwrap())),
            ErrorKind::DivisionByZero
        );
        assert_eq!(
            kind(quotient(&dividend, &Tensor::new_of::<i64>(&Cpu, [2, -1, 0]).unwrap())),
            ErrorKind::DivisionByZero
        );
        quotient(&dividend, &Tensor::new_of::<i64>(&Cpu, [2, 3, 4]).unwrap()).unwrap();
        assert_eq!(kind(checked(&noise(&[300, 40], 1))), ErrorKind::Assertion);
    });
}
