//! Legal twins of the mistakes in `fail`, by group, and what else must compile. Each file could be a program.

mod atomic;
mod axes;
mod by_hand;
mod call;
mod copies;
mod device;
mod edit;
mod element;
mod functions;
mod generics;
mod gradients;
mod hostile_names;
mod indexing;
mod intent;
mod language;
mod mode;
mod reductions;
mod signature;
mod statements;
// Public, so that its items are the documented interface of a crate.
pub mod strict_crate;
mod threads;
mod values;

macro_rules! run {
    ($($group:ident)*) => {
        $(
            #[test]
            fn $group() {
                if let Err(error) = self::$group::main() {
                    panic!("{error}");
                }
            }
        )*
    };
}

run! {
    atomic axes by_hand call copies device edit element functions generics gradients hostile_names indexing intent language mode
    reductions signature statements strict_crate threads values
}
