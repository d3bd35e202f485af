//! Gradients of bounded length.

use tensor_rt::prelude::*;

tensor_fn! {
    /// Adds the sum of the squares of `g` to `total`, in `f64`: `total += sum g^2`.
    ///
    /// # Errors
    /// Fails if memory runs out.
    pub fn add_squares(total: &mut Tensor<f64>[], g: &Tensor[..]) {
        total += sum[..](g as f64 * g as f64);
    }

    /// Scales `g` in place by `limit / (sqrt(squares) + 1e-6)`, if that is below 1.
    ///
    /// # Errors
    /// Fails if memory runs out.
    pub fn scale_to_norm(g: &mut Tensor[..], squares: &Tensor<f64>[], limit: f64) {
        // In `f64`, because the factor alone may be too small for a half element.
        g = (g as f64 * min(limit / (sqrt(squares) + 1e-6), 1.0)) as float;
    }
}

/// Scales the gradients of all parameters together so that their norm, the root of the sum of all squares, is at most
/// `limit`; shorter ones stay as they are. Returns the norm before, a tensor on the device: nothing is read by the host.
///
/// As in PyTorch a norm that is NaN or infinite makes the gradients NaN or 0; the returned norm tells.
/// # Errors
/// Fails if memory runs out; then some gradients may be scaled and others not.
pub fn clip_by_norm<D: Device, T: Float>(
    device: &D,
    parameters: &[&Param<D, T>],
    gradients: &mut Gradients,
    limit: f64,
) -> Result<Tensor<D, NoGrad, f64>> {
    let mut squares = Tensor::zeros_of::<f64>(device, [])?;
    for parameter in parameters {
        if let Some(gradient) = gradients.get(*parameter) {
            add_squares(&mut squares, &gradient)?;
        }
    }
    for parameter in parameters {
        // Taken, so that the edit finds its storage unshared and copies nothing.
        if let Some(mut gradient) = gradients.take(*parameter) {
            scale_to_norm(&mut gradient, &squares, limit)?;
            gradients.set(*parameter, gradient)?;
        }
    }
    squares.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::array;

    /// Gradients `[3, 0]` and `[4]`, with a norm of 5, and a parameter without one.
    fn parts() -> ([Param<Cpu, f64>; 3], Gradients) {
        let parameters = [array([2], &[1.0, 1.0]), array([1], &[1.0]), array([1], &[1.0])].map(Param::new);
        let weighted = (parameters[0].tracked() * array([2], &[3.0, 0.0])).unwrap().sum().unwrap();
        let loss = (weighted + (parameters[1].tracked() * 4.0).unwrap().sum().unwrap()).unwrap();
        let gradients = loss.backward().unwrap();
        (parameters, gradients)
    }

    #[test]
    fn long_gradients_are_scaled_together() {
        let (parameters, mut gradients) = parts();
        let norm = clip_by_norm(&Cpu, &parameters.each_ref(), &mut gradients, 2.5).unwrap();
        assert_eq!(norm.item().unwrap(), 5.0);
        let of = |parameter| gradients.get(parameter).unwrap().to_vec().unwrap();
        for (found, expected) in of(&parameters[0]).into_iter().chain(of(&parameters[1])).zip([1.5, 0.0, 2.0]) {
            assert!((found - expected).abs() < 1e-6, "{found}, expected {expected}");
        }
        assert!(gradients.get(&parameters[2]).is_none());
    }

    #[test]
    fn short_gradients_stay() {
        let (parameters, mut gradients) = parts();
        clip_by_norm(&Cpu, &parameters.each_ref(), &mut gradients, 6.0).unwrap();
        assert_eq!(gradients.get(&parameters[0]).unwrap().to_vec().unwrap(), [3.0, 0.0]);
        assert_eq!(gradients.get(&parameters[1]).unwrap().to_vec().unwrap(), [4.0]);
    }

    #[test]
    fn zero_gradients_stay_zero_and_halves_do_not_overflow() {
        let p = Param::new(Tensor::full_of(&Cpu, [4], bf16::from_f32(0.0)).unwrap());
        let q = Param::new(Tensor::full_of(&Cpu, [4], f16::from_f32(1.0)).unwrap());
        let mut gradients = (p.tracked() * p.tracked()).unwrap().sum().unwrap().backward().unwrap();
        let norm = clip_by_norm(&Cpu, &[&p], &mut gradients, 1.0).unwrap();
        assert_eq!(norm.item().unwrap(), 0.0);
        assert_eq!(gradients.get(&p).unwrap().to_vec().unwrap(), [bf16::from_f32(0.0); 4]);
        // The squares of 40000 are beyond the range of f16.
        let mut gradients = (q.tracked() * 40000.0).unwrap().sum().unwrap().backward().unwrap();
        let norm = clip_by_norm(&Cpu, &[&q], &mut gradients, 1.0).unwrap();
        assert_eq!(norm.item().unwrap(), 80000.0);
        assert_eq!(gradients.get(&q).unwrap().to_vec().unwrap(), [f16::from_f32(0.5); 4]);
    }
}
