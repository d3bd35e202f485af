//! Every rule made wrong in turn is noticed.
