use tensor_rt::prelude::*;

fn run(x: &mut Tensor) {
    let first = || x.fill(1.0);
    let second = || x.fill(2.0);
    std::thread::scope(|scope| {
        scope.spawn(first);
        scope.spawn(second);
    });
}

fn main() {}
