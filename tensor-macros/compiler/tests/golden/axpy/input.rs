pub fn axpy(y: &mut Tensor[N], x: &Tensor[N], a: float) { y += a * x; }
