//! Files that hold secrets by their name, for one who would read them.
//!
//! In: a path. Out: whether it is one of them. Never looks at the file.

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
pub(super) fn is_secret(path: &str) -> bool {
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
