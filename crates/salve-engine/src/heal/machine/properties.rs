//! What holds for every heal, whatever the driver answers.
