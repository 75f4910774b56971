//! The rules on paths by name.
//!
//! In: nothing. Out: one code for each rule, whose word is what people and programs read. Never
//! decides anything.

use serde::{Serialize, Serializer};
use std::fmt;

/// The rule that decided about a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PathRule {
    /// No rule objects: it is a file of the workspace.
    InsideWorkspace,
    /// What is at the path cannot be looked at.
    Unreadable,
    /// It is blank.
    BlankPath,
    /// It holds a backslash.
    Backslash,
    /// It holds a control character.
    ControlCharacter,
    /// It holds a character that turns the direction of the text.
    BidirectionalCharacter,
    /// It holds an invisible character.
    InvisibleCharacter,
    /// It holds a space that is not the plain one.
    OddSpace,
    /// It holds bytes that are no text.
    UndecodableName,
    /// It reads as a separator or as `..` once it is decoded.
    DisguisedSeparator,
    /// It is longer than the system takes.
    PathTooLong,
    /// One of its names is longer than the system takes.
    NameTooLong,
    /// It is absolute and not below the workspace.
    AbsolutePath,
    /// It begins in a home directory.
    HomeDirectory,
    /// It begins with a drive.
    DrivePath,
    /// It leads out of the workspace.
    OutsideWorkspace,
    /// A symlink of it leads out of the workspace.
    SymlinkOut,
    /// Its symlinks form a loop.
    SymlinkLoop,
    /// It names the workspace.
    WorkspaceItself,
    /// It names a directory.
    Directory,
    /// It goes below a file.
    NotADirectory,
    /// It names a device, a pipe or a socket.
    NotARegularFile,
    /// It is the inside of a repository.
    Repository,
    /// It is the state of Salve.
    OwnState,
    /// The file tells git what to fetch or to execute.
    ProtectedRepositoryFile,
    /// The file makes an editor execute commands.
    ProtectedEditorSettings,
    /// The file makes a tool execute or fetch code.
    ProtectedToolchainSettings,
    /// The file is a hook.
    ProtectedHook,
    /// The file is executed by the build server.
    ProtectedCi,
    /// The file instructs agents, or starts servers for them.
    ProtectedAgentInstructions,
    /// The file is executed by shells.
    ProtectedShellStartup,
    /// The file holds secrets by its name.
    ProtectedSecret,
    /// The file is executed as an installed command or as compiled code.
    ProtectedInstalled,
    /// A new name holds a character that not every system takes.
    NotPortable,
    /// A new name ends with a space.
    TrailingSpace,
    /// A new name ends with a dot.
    TrailingDot,
    /// A new name is that of a device on Windows.
    DeviceName,
    /// A new name mixes letters of scripts that resemble each other.
    MixedScripts,
    /// A new name is another one where case does not count.
    CaseTwin,
    /// A new name looks like another one.
    LookAlikeName,
    /// One reply makes a file and a directory of one name.
    FileAndDirectory,
    /// Its directory cannot be written to.
    DirectoryNotWritable,
    /// Two files may be meant: one seen from the root, one from the current folder.
    AmbiguousPath,
    /// The file has another name.
    HardLink,
    /// The file is read-only.
    ReadOnlyFile,
    /// The file is larger than is edited.
    FileTooLarge,
}

impl PathRule {
    /// Tells whether it protects what editors, hooks, build servers, agents and tools obey.
    pub const fn is_protected(self) -> bool {
        matches!(
            self,
            Self::ProtectedRepositoryFile
                | Self::ProtectedEditorSettings
                | Self::ProtectedToolchainSettings
                | Self::ProtectedHook
                | Self::ProtectedCi
                | Self::ProtectedAgentInstructions
                | Self::ProtectedShellStartup
                | Self::ProtectedSecret
                | Self::ProtectedInstalled
        )
    }

    /// Returns the rule's word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::InsideWorkspace => "inside_workspace",
            Self::Unreadable => "unreadable",
            Self::BlankPath => "blank_path",
            Self::Backslash => "backslash",
            Self::ControlCharacter => "control_character",
            Self::BidirectionalCharacter => "bidirectional_character",
            Self::InvisibleCharacter => "invisible_character",
            Self::OddSpace => "odd_space",
            Self::UndecodableName => "undecodable_name",
            Self::DisguisedSeparator => "disguised_separator",
            Self::PathTooLong => "path_too_long",
            Self::NameTooLong => "name_too_long",
            Self::AbsolutePath => "absolute_path",
            Self::HomeDirectory => "home_directory",
            Self::DrivePath => "drive_path",
            Self::OutsideWorkspace => "outside_workspace",
            Self::SymlinkOut => "symlink_out",
            Self::SymlinkLoop => "symlink_loop",
            Self::WorkspaceItself => "workspace_itself",
            Self::Directory => "directory",
            Self::NotADirectory => "not_a_directory",
            Self::NotARegularFile => "not_a_regular_file",
            Self::Repository => "repository",
            Self::OwnState => "own_state",
            Self::ProtectedRepositoryFile => "protected_repository_file",
            Self::ProtectedEditorSettings => "protected_editor_settings",
            Self::ProtectedToolchainSettings => "protected_toolchain_settings",
            Self::ProtectedHook => "protected_hook",
            Self::ProtectedCi => "protected_ci",
            Self::ProtectedAgentInstructions => "protected_agent_instructions",
            Self::ProtectedShellStartup => "protected_shell_startup",
            Self::ProtectedSecret => "protected_secret",
            Self::ProtectedInstalled => "protected_installed",
            Self::NotPortable => "not_portable",
            Self::TrailingSpace => "trailing_space",
            Self::TrailingDot => "trailing_dot",
            Self::DeviceName => "device_name",
            Self::MixedScripts => "mixed_scripts",
            Self::CaseTwin => "case_twin",
            Self::LookAlikeName => "look_alike_name",
            Self::FileAndDirectory => "file_and_directory",
            Self::DirectoryNotWritable => "directory_not_writable",
            Self::AmbiguousPath => "ambiguous_path",
            Self::HardLink => "hard_link",
            Self::ReadOnlyFile => "read_only_file",
            Self::FileTooLarge => "file_too_large",
        }
    }
}

impl fmt::Display for PathRule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl Serialize for PathRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
