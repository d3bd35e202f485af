//! How a trap program tells its story.

/// Prints what PyTorch does.
pub fn pytorch(text: &str) {
    println!("PyTorch\n");
    indented(text);
}

/// Prints what happens here.
pub fn here(text: &str) {
    println!("Here\n");
    indented(text);
}

/// Prints a program that does not compile and what the compiler says; both are the files of a compile-fail test.
pub fn refused(program: &str, message: &str) {
    println!("This does not compile:\n");
    indented(program.trim_end());
    println!("The compiler says:\n");
    indented(message.trim_end());
}

fn indented(text: &str) {
    for line in text.lines() {
        println!("{}", format!("    {line}").trim_end());
    }
    println!();
}
