//! Files that hold secrets by their name, for one who would read them.
//!
//! In: a path or a pattern. Out: whether it is one of them, or picks one out. Never looks at a file.

use salve_check::Pattern;

/// Whole names, in lower case.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    ".npmrc", ".pypirc", ".netrc", "_netrc", ".git-credentials", ".pgpass", ".my.cnf", ".htpasswd",
    ".dockercfg", ".dockerconfigjson", ".s3cfg", ".boto", ".vault-token", ".vault_pass", ".vault-pass",
    ".terraformrc", "terraform.rc", ".envrc", ".env", "credentials", "credentials.json",
    "credentials.yml", "credentials.yaml", "credentials.toml", "credentials.csv", "credentials.xml",
    "application_default_credentials.json", "serviceaccountkey.json", "kubeconfig", "secret.json",
    "secret.yml", "secret.yaml", "secret.toml", "secret.txt", "secrets", "secrets.json", "secrets.yml",
    "secrets.yaml", "secrets.toml", "secrets.txt", "secrets.env", "passwords.txt", "password.txt",
    "token.txt", "tokens.json", "wallet.dat", "shadow", "gshadow", "htpasswd", "master.key",
    ".bash_history", ".zsh_history", ".sh_history", ".python_history", ".node_repl_history",
    ".psql_history", ".mysql_history", ".sqlite_history", ".rediscli_history", "authorized_keys",
    "known_hosts", ".age-key.txt", "local.settings.json",
];

/// Endings of names.
#[rustfmt::skip]
const ENDINGS: &[&str] = &[
    ".pem", ".key", ".p12", ".pfx", ".p8", ".ppk", ".jks", ".keystore", ".kdbx", ".kdb", ".gpg", ".pgp",
    ".asc", ".pkcs12", ".ovpn", ".tfstate", ".tfstate.backup", ".tfvars", ".env", ".secret", ".secrets",
    "_rsa", "_dsa", "_ecdsa", "_ed25519", ".keychain", ".keychain-db", ".token", ".agekey",
];

/// Folders all of whose files are secret.
const FOLDERS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".gcloud",
    ".password-store",
    ".secrets",
];

/// Templates of environment files, which hold no secret.
const TEMPLATES: &[&str] = &["example", "sample", "template", "dist", "defaults", "schema"];

/// Tells whether a path names a secret.
pub(crate) fn is_secret(path: &str) -> bool {
    let lower = path.to_lowercase();
    let mut steps = lower.split('/').filter(|step| !step.is_empty() && *step != ".");
    let Some(name) = steps.next_back() else { return false };
    let in_folder = steps.any(|step| FOLDERS.contains(&step));
    let is_environment = name
        .strip_prefix(".env.")
        .is_some_and(|kind| !TEMPLATES.iter().any(|template| kind.ends_with(template)));
    let is_account = (name.starts_with("client_secret") || name.starts_with("service-account"))
        && name.ends_with(".json");
    in_folder
        || FOLDERS.contains(&name)
        || NAMES.contains(&name)
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
        || name.starts_with("id_rsa")
        || name.starts_with("id_ed25519")
        || name.starts_with("id_ecdsa")
        || name.starts_with("id_dsa")
        || is_environment
        || is_account
}

/// Ordinary names: a pattern that takes one of these picks out no secret in particular.
#[rustfmt::skip]
const ORDINARY: &[&str] = &[
    "main.rs", "lib.rs", "index.js", "app.ts", "page.tsx", "main.py", "main.go", "main.c", "util.h", "app.java",
    "package.json", "tsconfig.json", "data.json", "config.yml", "settings.yaml", "config.toml", "notes.txt",
    "requirements.txt", "readme.md", "makefile", "dockerfile", "style.css", "index.html", "data.csv", "pom.xml",
    "test_a.py", "app.test.ts", "auth.ts", "tokenizer.rs", "history.rs", "config.rs", "server.js", "x.lock",
    "build.gradle", "run.sh", "query.sql", "image.png", "lib.so", "x.log", "docker-compose.yml", "schema.proto",
];

/// Tells whether a pattern picks out secrets: it takes a name of one, and no ordinary name. A pattern
/// of hidden files that takes one always does.
pub(super) fn picks(pattern: &str) -> bool {
    let pattern = pattern.to_lowercase();
    let mut steps = pattern.split('/').filter(|step| !step.is_empty() && *step != ".");
    let Some(last) = steps.next_back() else { return false };
    if steps
        .any(|step| step.contains(|letter: char| letter.is_alphanumeric()) && takes(step, FOLDERS))
    {
        return true;
    }
    if !last.contains(['*', '?', '[', '\\']) {
        return is_secret(last);
    }
    let endings: Vec<String> = ENDINGS.iter().map(|ending| format!("x{ending}")).collect();
    let endings: Vec<&str> = endings.iter().map(String::as_str).collect();
    let more = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", ".env.local", ".env.production"];
    let accounts = ["client_secret_1.json", "service-account-1.json"];
    let secret = takes(last, NAMES)
        || takes(last, &endings)
        || takes(last, &more)
        || takes(last, &accounts)
        || takes(last, FOLDERS);
    let hidden = last.starts_with(['.', '\\']) || last.starts_with("[.");
    secret && (hidden || !takes(last, ORDINARY))
}

// As `fnmatch` takes names: a leading dot is a letter like others. What is no pattern takes all.
fn takes(pattern: &str, names: &[&str]) -> bool {
    match Pattern::new(&format!("_{pattern}")) {
        Ok(pattern) => names.iter().any(|name| pattern.matches(&format!("_{name}"))),
        Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_pick_out_secrets_are_told_from_those_that_happen_to_take_one() {
        for pattern in [
            ".env",
            "*.key",
            "*.PEM",
            ".e*",
            ".en?",
            "*nv",
            "id_*",
            "*_rsa",
            ".[e]nv",
            "[.]env",
            "?env",
            "credential*",
            "*ret*.yml",
            ".*rc",
            "*.ke?",
            "**/.env",
            "certs/*.key",
            "*/.ssh/*",
            ".aws/*",
            "*[.]env",
            "**/id_rsa",
            "*.kdbx",
            ".*",
        ] {
            assert!(picks(pattern), "{pattern}");
        }
        for pattern in [
            "*",
            "*.rs",
            "*.json",
            "*.txt",
            "*.y*ml",
            "*config*",
            "test_*",
            "src/*",
            "*.md",
            "*token*",
            "*.ts",
            "**/*.py",
            "*.example",
            "*history*",
            "",
            ".",
            "*/x/*",
        ] {
            assert!(!picks(pattern), "{pattern}");
        }
    }
}
