//! Trains a multi-layer perceptron on 1,797 handwritten digits and says how well it reads the digits it has not seen.
//!
//!     cargo run --release -p examples --bin train_digits -- --seed 3
//!
//! The activation and the loss are written here, with `tensor_fn!`; their gradients are derived. Every fifth sample is
//! held out. A seed gives the same weights, bit for bit, for any number of threads.

#![forbid(unsafe_code)]

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use clap::Parser;
use examples::confusion::Confusion;
use examples::curve::{self, Epoch};
use examples::digits::{CLASSES, Digits, PIXELS};
use examples::shuffle;
use indicatif::{ProgressBar, ProgressStyle};
use tensor_rt::prelude::*;
use tensor_rt_kernels::index::index_select;
use tensor_rt_kernels::layer::Linear;
use tensor_rt_kernels::optimizer::{AdamW, Optimizer};

const HIDDEN: usize = 128;
const BATCH: usize = 32;
const LEARNING_RATE: f64 = 3e-3;
const WEIGHT_DECAY: f64 = 0.05;
const SMOOTHING: f64 = 0.1;

tensor_fn! {
    /// The activation: a sigmoid that is steep enough to stand for the normal distribution, times `x`.
    fn quick_gelu(x: &Tensor[..]) -> Tensor[..] {
        x * sigmoid(1.702 * x)
    }

    /// The loss: softmax, logarithm, smoothed targets and mean in one kernel. The target class gets `1 - smoothing`, and
    /// `smoothing` is spread over all classes.
    fn smoothed_cross_entropy(logits: &Tensor[N, C], target: &Tensor<i64>[N], smoothing: float) -> Tensor[] {
        let m = max[C](logits);
        let log_sum = m + ln(sum[C](exp(logits - m)));
        mean[N](log_sum - (1.0 - smoothing) * logits[N, target] - smoothing * mean[C](logits))
    }

    /// The predicted class of each row.
    #[no_grad]
    fn predict(logits: &Tensor[N, C]) -> Tensor<i64>[N] {
        argmax[C](logits)
    }

    /// Pixels less the mean image.
    #[no_grad]
    fn center(x: &Tensor[N, C], mean_image: &Tensor[C]) -> Tensor[N, C] {
        x - mean_image
    }

    /// The mean over all images.
    #[no_grad]
    fn mean_image(x: &Tensor[N, C]) -> Tensor[C] {
        mean[N](x)
    }
}

/// Reads handwritten digits.
#[derive(Parser)]
#[command(version, about)]
struct Options {
    /// Where to train: `auto`, `cpu` or `cuda:N`; without it, what `TENSOR_DEVICE` says, else `auto`.
    #[arg(long)]
    device: Option<DeviceChoice>,
    /// Fixes the first weights and the order of the samples.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Passes over the training samples.
    #[arg(long, default_value_t = 40)]
    epochs: u64,
    /// Where to draw the learning curve.
    #[arg(long, default_value = "train_digits.svg")]
    curve: PathBuf,
}

/// Two hidden layers.
struct Net<D: Device> {
    hidden: [Linear<D>; 2],
    output: Linear<D>,
}

impl<D: Device> Net<D> {
    fn new(device: &D, seed: u64) -> Result<Self> {
        // The three layers draw from three streams.
        let layer = |stream, inputs, outputs| Linear::new(device, inputs, outputs, seed.wrapping_mul(3) + stream);
        Ok(Net { hidden: [layer(0, PIXELS, HIDDEN)?, layer(1, HIDDEN, HIDDEN)?], output: layer(2, HIDDEN, CLASSES)? })
    }

    /// Class scores; with `M = Grad` they carry the graph, with `M = NoGrad` nothing is kept.
    fn forward<M: GradMode>(&self, x: &Tensor<D>) -> Result<Tensor<D, M>> {
        let [first, second] = &self.hidden;
        let x = quick_gelu(&first.forward::<M, _>(x)?)?;
        let x = quick_gelu(&second.forward::<M, _>(&x)?)?;
        self.output.forward::<M, _>(&x)
    }

    fn parameters(&mut self) -> Vec<&mut Param<D>> {
        self.hidden.iter_mut().chain([&mut self.output]).flat_map(Linear::parameters).collect()
    }
}

/// What a run ends with.
struct Outcome {
    epochs: Vec<Epoch>,
    confusion: Confusion,
    weights: u64,
}

fn train<D: Device>(device: &D, options: &Options, training: &Digits, held_out: &Digits) -> Result<Outcome> {
    let images = Tensor::from_vec(device, training.images(), [training.len(), PIXELS])?;
    let held_out_images = Tensor::from_vec(device, held_out.images(), [held_out.len(), PIXELS])?;
    let mean = mean_image(&images)?;
    let (images, held_out_images) = (center(&images, &mean)?, center(&held_out_images, &mean)?);
    let classes = training.classes();

    let mut net = Net::new(device, options.seed)?;
    let mut optimizer = AdamW::new(LEARNING_RATE);
    optimizer.weight_decay = WEIGHT_DECAY;

    let steps = options.epochs * training.len().div_ceil(BATCH) as u64;
    let bar = ProgressBar::new(steps).with_style(
        ProgressStyle::with_template("{bar:40} {pos}/{len} steps  {elapsed}  {msg}").expect("the template is valid"),
    );
    let mut epochs = Vec::new();
    let mut confusion = evaluate(&net, &held_out_images, held_out)?;
    for epoch in 0..options.epochs {
        let order = shuffle::order(training.len(), options.seed, epoch);
        // Losses stay on the device, weighted by their rows, and are read once in an epoch.
        let mut total = Tensor::zeros(device, [])?;
        for batch in order.chunks(BATCH) {
            let rows: Vec<i64> = batch.iter().map(|&sample| sample as i64).collect();
            let target: Vec<i64> = batch.iter().map(|&sample| classes[sample]).collect();
            let rows = Tensor::from_vec(device, rows, [batch.len()])?;
            let target = Tensor::from_vec(device, target, [batch.len()])?;

            let logits = net.forward::<Grad>(&index_select(&images, &rows)?)?;
            let loss = smoothed_cross_entropy(&logits, &target, SMOOTHING)?;
            total = (total + loss.detach() * batch.len() as f64)?;
            let gradients = loss.backward()?;

            let progress = bar.position() as f64 / steps as f64;
            optimizer.learning_rate = LEARNING_RATE * 0.5 * (1.0 + (std::f64::consts::PI * progress).cos());
            optimizer.step(&mut net.parameters(), &gradients)?;
            bar.inc(1);
        }
        confusion = evaluate(&net, &held_out_images, held_out)?;
        let loss = f64::from(total.item()?) / training.len() as f64;
        epochs.push(Epoch { loss, accuracy: confusion.accuracy() });
        bar.set_message(format!("loss {loss:.4}  held out {:.2}%", 100.0 * confusion.accuracy()));
    }
    bar.finish();
    Ok(Outcome { epochs, confusion, weights: hash(&mut net)? })
}

fn evaluate<D: Device>(net: &Net<D>, images: &Tensor<D>, digits: &Digits) -> Result<Confusion> {
    let predicted = predict(&net.forward::<NoGrad>(images)?)?.to_host()?.to_vec()?;
    Ok(Confusion::new(CLASSES, &digits.classes(), &predicted))
}

/// Fowler, Noll and Vo's hash of the bits of all weights.
fn hash<D: Device>(net: &mut Net<D>) -> Result<u64> {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for parameter in net.parameters() {
        for weight in parameter.value().to_host()?.to_vec()? {
            for byte in weight.to_bits().to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    Ok(hash)
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let (training, held_out) = Digits::embedded()?.split();
    println!(
        "{} training and {} held-out images of {CLASSES} digits; {PIXELS} -> {HIDDEN} -> {HIDDEN} -> {CLASSES}; seed {}",
        training.len(),
        held_out.len(),
        options.seed,
    );

    let choice = options.device.map_or_else(DeviceChoice::from_env, Ok)?;
    let start = Instant::now();
    let outcome = with_device!(choice, [Cpu, Cuda], |device| train(&device, &options, &training, &held_out))?;
    let seconds = start.elapsed().as_secs_f64();

    if let Some(last) = outcome.epochs.last() {
        println!("\n{}", outcome.confusion);
        println!("training loss      {:.4}", last.loss);
    }
    println!("held-out accuracy  {:.2}%", 100.0 * outcome.confusion.accuracy());
    println!("                   {} of {}", outcome.confusion.correct(), outcome.confusion.total());
    println!("time               {seconds:.2} s");
    println!("weights            {:016x}", outcome.weights);
    curve::draw(&options.curve, &format!("train_digits, seed {}", options.seed), &outcome.epochs)?;
    println!("learning curve     {}", options.curve.display());
    Ok(())
}
