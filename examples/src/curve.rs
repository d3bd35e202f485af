//! The learning curve of a run as an SVG picture.

use std::path::Path;

use plotters::prelude::*;

/// One epoch of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epoch {
    /// Mean training loss.
    pub loss: f64,
    /// Accuracy on the held-out samples, from 0 to 1.
    pub accuracy: f64,
}

/// Draws loss (left axis) and held-out accuracy (right axis) over the epochs.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn draw(path: &Path, title: &str, epochs: &[Epoch]) -> Result<(), Box<dyn std::error::Error>> {
    let last = epochs.len().max(2) as f64;
    let highest = epochs.iter().map(|epoch| epoch.loss).fold(0.1, f64::max) * 1.05;
    let numbered = || (1..).map(f64::from).zip(epochs);

    // The file is written by `std`, so that a folder that does not exist is an error with the system's own words.
    let mut picture = String::new();
    {
        let root = SVGBackend::with_string(&mut picture, (800, 480)).into_drawing_area();
        root.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&root)
            .caption(title, ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(56)
            .right_y_label_area_size(56)
            .build_cartesian_2d(1.0..last, 0.0..highest)?
            .set_secondary_coord(1.0..last, 0.0..1.0);
        chart.configure_mesh().disable_mesh().x_desc("epoch").y_desc("training loss").draw()?;
        chart.configure_secondary_axes().y_desc("held-out accuracy").draw()?;
        chart
            .draw_series(LineSeries::new(numbered().map(|(x, epoch)| (x, epoch.loss)), BLUE.stroke_width(2)))?
            .label("training loss")
            .legend(|(x, y)| PathElement::new([(x, y), (x + 18, y)], BLUE));
        chart
            .draw_secondary_series(LineSeries::new(
                numbered().map(|(x, epoch)| (x, epoch.accuracy)),
                RED.stroke_width(2),
            ))?
            .label("held-out accuracy")
            .legend(|(x, y)| PathElement::new([(x, y), (x + 18, y)], RED));
        chart.configure_series_labels().position(SeriesLabelPosition::MiddleRight).border_style(BLACK).draw()?;
        root.present()?;
    }
    std::fs::write(path, picture).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_has_both_curves() {
        let path = std::env::temp_dir().join(format!("curve-{}.svg", std::process::id()));
        let epochs = [Epoch { loss: 2.3, accuracy: 0.1 }, Epoch { loss: 0.5, accuracy: 0.9 }];
        draw(&path, "a run", &epochs).unwrap();
        let picture = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(picture.contains("<svg") && picture.contains("a run") && picture.contains("held-out accuracy"));
        assert!(picture.matches("<polyline").count() >= 2);
    }

    #[test]
    fn a_run_of_no_epochs_or_of_infinite_loss_draws() {
        let path = std::env::temp_dir().join(format!("empty-{}.svg", std::process::id()));
        draw(&path, "nothing", &[]).unwrap();
        draw(&path, "one", &[Epoch { loss: f64::NAN, accuracy: 0.0 }]).unwrap();
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_missing_folder_is_an_error_that_names_the_file() {
        let error = draw(Path::new("/no/such/folder/curve.svg"), "a run", &[]).unwrap_err();
        assert!(error.to_string().starts_with("/no/such/folder/curve.svg: "));
    }
}
