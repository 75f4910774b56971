//! Images that a request asks for: recognised, prompted, kept, saved.
//!
//! In: what a person says. Out: whether images are wanted and how many, the prompts for them, the images as a turn keeps
//! them, and files of the workspace where a person wants some. The words decide only where they are plain; where they
//! are not, a person is asked. Never a call to a model: a flow makes those, each paid once.

mod gallery;
mod prompts;
mod save;
mod wish;
mod words;

pub use gallery::{DrawnSet, GeneratedImage, ImageState, combined_prompt, image_id};
pub use prompts::{drawing_prompts, prompts_question, read_prompts};
pub use save::{ImageFile, SaveError, SavedImages, save_images};
pub use wish::{ImageWish, MOST_DRAWN, image_wish, needs_project};
