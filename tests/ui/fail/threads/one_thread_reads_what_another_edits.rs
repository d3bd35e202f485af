use tensor_rt::prelude::*;

fn run(x: &mut Tensor) {
    let edit = || x.fill(1.0);
    let read = || x.to_vec();
    std::thread::scope(|scope| {
        scope.spawn(edit);
        scope.spawn(read);
    });
}

fn main() {}
