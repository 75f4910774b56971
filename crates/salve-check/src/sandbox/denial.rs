//! Who refuses namespaces on this machine, and what a person can do about it.
//!
//! In: settings of the kernel and traces of containers. Out: the cause and its exact remedy. Never
//! changes a setting: that takes root, and a person who wants it.

use std::path::Path;

/// What keeps ordinary users from having namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NamespaceDenial {
    /// AppArmor allows them to programs with a profile only, as on Ubuntu since 23.10.
    AppArmor,
    /// `kernel.unprivileged_userns_clone` is 0, as on older Debian.
    UsersSwitchedOff,
    /// `user.max_user_namespaces` is 0.
    NoneLeft,
    /// The engine of this container filters system calls.
    Container,
    /// Something else around this process filters system calls.
    Filter,
}

impl NamespaceDenial {
    /// Looks for the cause on this machine.
    #[must_use]
    pub fn find() -> Option<Self> {
        Self::find_by(|path| std::fs::read_to_string(path).ok(), |path| Path::new(path).exists())
    }

    fn find_by(
        read: impl Fn(&str) -> Option<String>,
        exists: impl Fn(&str) -> bool,
    ) -> Option<Self> {
        const SETTINGS: &[(&str, &str, NamespaceDenial)] = &[
            ("/proc/sys/user/max_user_namespaces", "0", NamespaceDenial::NoneLeft),
            ("/proc/sys/kernel/unprivileged_userns_clone", "0", NamespaceDenial::UsersSwitchedOff),
        ];
        const CONTAINERS: &[&str] =
            &["/.dockerenv", "/run/.containerenv", "/run/systemd/container"];
        let is = |path: &str, value: &str| read(path).is_some_and(|text| text.trim() == value);
        if let Some((.., cause)) = SETTINGS.iter().find(|(path, value, _)| is(path, value)) {
            return Some(*cause);
        }
        // The machine's AppArmor counts in a container too, but its profile cannot be changed there.
        if CONTAINERS.iter().any(|path| exists(path)) {
            return Some(Self::Container);
        }
        if is("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1") {
            return Some(Self::AppArmor);
        }
        let status = read("/proc/self/status")?;
        let filtered = |line: &str| line.strip_prefix("Seccomp:").is_some_and(|v| v.trim() == "2");
        status.lines().any(filtered).then_some(Self::Filter)
    }

    /// Names what forbids them.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AppArmor => "AppArmor (`kernel.apparmor_restrict_unprivileged_userns` is 1)",
            Self::UsersSwitchedOff => "the setting `kernel.unprivileged_userns_clone`",
            Self::NoneLeft => "the setting `user.max_user_namespaces`",
            Self::Container => "the container's engine",
            Self::Filter => "a filter of system calls around this process",
        }
    }

    /// Says what a person can do, with the commands for this executable.
    #[must_use]
    pub fn remedy(self, executable: &Path) -> String {
        let setting = |name: &str, value: &str| {
            format!(
                "as root: echo '{name}={value}' > /etc/sysctl.d/60-salve.conf && sysctl --system"
            )
        };
        match self {
            Self::AppArmor => format!(
                "give this executable a profile, as root:\n{}\napparmor_parser -r /etc/apparmor.d/salve",
                write_profile(executable)
            ),
            Self::UsersSwitchedOff => setting("kernel.unprivileged_userns_clone", "1"),
            Self::NoneLeft => setting("user.max_user_namespaces", "15000"),
            Self::Container => "start the container with --security-opt seccomp=unconfined \
                 --security-opt apparmor=unconfined --security-opt systempaths=unconfined"
                .to_owned(),
            Self::Filter => "start Salve outside of the service or tool that filters it".to_owned(),
        }
    }
}

fn write_profile(executable: &Path) -> String {
    // AppArmor reads these as patterns, so they are written with a backslash.
    let mut path = String::new();
    for letter in executable.to_string_lossy().chars() {
        if "*?[]{}^\"\\".contains(letter) {
            path.push('\\');
        }
        path.push(letter);
    }
    format!(
        "cat > /etc/apparmor.d/salve <<'END'\nabi <abi/4.0>,\ninclude <tunables/global>\n\
         profile salve \"{path}\" flags=(unconfined) {{\n  userns,\n}}\nEND"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const APPARMOR: (&str, &str) =
        ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n");

    #[test]
    fn the_cause_is_found_by_what_the_machine_says() {
        type Row = (
            &'static [(&'static str, &'static str)],
            &'static [&'static str],
            Option<NamespaceDenial>,
        );
        let table: &[Row] = &[
            (&[APPARMOR], &[], Some(NamespaceDenial::AppArmor)),
            (&[APPARMOR], &["/.dockerenv"], Some(NamespaceDenial::Container)),
            (&[], &["/run/.containerenv"], Some(NamespaceDenial::Container)),
            (
                &[("/proc/sys/user/max_user_namespaces", "0\n"), APPARMOR],
                &[],
                Some(NamespaceDenial::NoneLeft),
            ),
            (
                &[("/proc/sys/kernel/unprivileged_userns_clone", "0\n")],
                &[],
                Some(NamespaceDenial::UsersSwitchedOff),
            ),
            (
                &[("/proc/self/status", "Name: x\nSeccomp:\t2\n")],
                &[],
                Some(NamespaceDenial::Filter),
            ),
            (&[("/proc/self/status", "Name: x\nSeccomp:\t0\n")], &[], None),
        ];
        for (files, folders, cause) in table {
            let read = |path: &str| {
                files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned())
            };
            assert_eq!(NamespaceDenial::find_by(read, |path| folders.contains(&path)), *cause);
        }
    }

    #[test]
    fn the_profile_names_the_executable_and_nothing_else() {
        let remedy = NamespaceDenial::AppArmor.remedy(Path::new("/home/a b/[x]/salve"));
        insta::assert_snapshot!(remedy, @r#"
        give this executable a profile, as root:
        cat > /etc/apparmor.d/salve <<'END'
        abi <abi/4.0>,
        include <tunables/global>
        profile salve "/home/a b/\[x\]/salve" flags=(unconfined) {
          userns,
        }
        END
        apparmor_parser -r /etc/apparmor.d/salve
        "#);
    }
}
