//! curl and wget: fetching from public addresses, to standard output or into the workspace.
//!
//! In: their words. Out: nothing, or an objection. Never lets one send a file, read its options from
//! a file, or have the server choose a name.

use crate::policy::addresses::{UrlName, judge_url};
use crate::policy::context::{Context, Judged, has_flag, operands, own_values};
use crate::policy::objection::{Objection, Rule};
use crate::policy::options::Hazard::{
    Configures, Executes, Network, NeverEnds, Reads, Uploads, Writes,
};
use crate::policy::options::Meaning::{Ask, OptionalText, Own, Switch, Text, Write};
use crate::policy::options::{Item, Style, Table};

static CURL: Table = Table::new(&[
    (
        Switch,
        "-s --silent -S --show-error -f --fail --fail-with-body --fail-early -L --location -I \
         --head -i --include --show-headers -v --verbose -# --progress-bar --no-progress-meter -N \
         --no-buffer -O --remote-name --create-dirs --no-clobber --remove-on-error -R --remote-time \
         -4 --ipv4 -6 --ipv6 -0 --http1.0 --http1.1 --http2 --http3 -1 --tlsv1 --tlsv1.0 \
         --tlsv1.1 --tlsv1.2 --tlsv1.3 -2 -3 --ssl-reqd --compressed --tr-encoding --raw -g \
         --globoff -q --disable -j --junk-session-cookies --retry-connrefused --retry-all-errors \
         --styled-output --no-styled-output --tcp-nodelay --no-keepalive --path-as-is -V --version \
         --no-sessionid --no-alpn --parallel -Z --parallel-immediate --post301 --post302 --post303",
    ),
    (
        Text,
        "-m --max-time --connect-timeout --retry --retry-delay --retry-max-time --max-redirs \
         --limit-rate --max-filesize -r --range -y --speed-time -Y --speed-limit --keepalive-time \
         --parallel-max --tls-max --expect100-timeout --happy-eyeballs-timeout-ms --rate",
    ),
    (Own, "-H --header -A --user-agent -e --referer -X --request -w --write-out --url"),
    (Own, "-o --output -D --dump-header --output-dir"),
    (OptionalText, "-h --help"),
    (Ask(Uploads), "-d --data --data-ascii --data-binary --data-raw --data-urlencode --json"),
    (Ask(Uploads), "-F --form --form-string --form-escape -T --upload-file -G --get --url-query"),
    (Ask(Uploads), "-a --append -Q --quote --mail-from --mail-rcpt --mail-auth -t --telnet-option"),
    (Ask(Configures), "-K --config -: --next --proto --proto-redir --proto-default"),
    (
        Ask(Network),
        "-x --proxy --preproxy --socks4 --socks4a --socks5 --socks5-hostname -U --proxy-user \
         --proxy-header -p --proxytunnel --noproxy --resolve --connect-to --doh-url --dns-servers \
         --dns-interface --dns-ipv4-addr --dns-ipv6-addr --interface --local-port -k --insecure \
         --proxy-insecure --doh-insecure --ciphers --curves --unix-socket --abstract-unix-socket \
         --location-trusted --haproxy-protocol --haproxy-clientip --alt-svc --hsts --tcp-fastopen \
         --request-target -l --list-only -B --use-ascii -P --ftp-port",
    ),
    (
        Ask(Reads),
        "-n --netrc --netrc-file --netrc-optional -b --cookie -u --user --oauth2-bearer --delegation \
         --negotiate --ntlm --anyauth --basic --digest --aws-sigv4 -E --cert --key --cert-type \
         --key-type --pass --cacert --capath --crlfile --pubkey --hostpubmd5 -z --time-cond \
         --etag-compare --egd-file --random-file --proxy-cert --proxy-key --krb --login-options \
         --variable --expand-url --sasl-authzid --tlsuser --tlspassword -C --continue-at",
    ),
    (Ask(Executes), "--engine --libcurl"),
    (
        Ask(Writes),
        "-J --remote-header-name --remote-name-all -c --cookie-jar --stderr --trace --trace-ascii \
         --trace-config --etag-save --xattr --create-file-mode --ftp-create-dirs",
    ),
    (Ask(NeverEnds), "-M --manual"),
]);

pub(super) fn curl(context: &Context<'_>) -> Judged {
    let style = Style { equals: false, ..Style::EXACT };
    let items = context.items(&CURL, style)?;
    let mut urls: Vec<&str> = operands(&items).map(|(text, _)| text).collect();
    let mut folder = None;
    for (name, value, at) in own_values(&items) {
        let value = value.unwrap_or_default();
        match name {
            "--url" => urls.push(value),
            "--output-dir" => {
                context.write(value)?;
                folder = Some(value);
            }
            _ => curl_value(context, name, value, at)?,
        }
    }
    if let Some(folder) = folder {
        for (name, value, _) in own_values(&items) {
            if let (true, Some(file)) = (matches!(name, "-o" | "--output"), value) {
                context.write(&format!("{folder}/{file}"))?;
            }
        }
    }
    let remote_names = has_flag(&items, &["-O", "--remote-name"]);
    for url in &urls {
        let found = judge_url(url)?;
        if remote_names {
            fetched_name(context, folder, found, None)?;
        }
    }
    let shows_help = has_flag(&items, &["-h", "--help", "-V", "--version"]);
    if urls.is_empty() && !shows_help {
        return Err(Objection::never(Rule::Argument, "`curl` is given no address"));
    }
    Ok(())
}

fn curl_value(context: &Context<'_>, name: &str, value: &str, at: usize) -> Judged {
    let refuse = |why: &str| Err(Objection::never(Rule::Argument, format!("`{name}`: {why}")));
    match name {
        // `#1` in a name is filled in from the address.
        "-o" | "--output" | "-D" | "--dump-header" if value.contains('#') => {
            refuse("the name is made from the address")
        }
        "-o" | "--output" | "-D" | "--dump-header" => context.output(value),
        "-X" | "--request" if matches!(value, "GET" | "HEAD" | "OPTIONS") => Ok(()),
        "-X" | "--request" => {
            let why = format!("`{}` changes things on the other side", value.escape_debug());
            context.unless_listed(Rule::Argument, at + 1, why)
        }
        _ if value.starts_with('@') => refuse("a file is sent"),
        "-w" | "--write-out" if value.contains("%output") || value.contains("%{stderr") => {
            refuse("the format writes files")
        }
        _ => Ok(()),
    }
}

// The file a program names after the address it fetches from.
fn fetched_name(
    context: &Context<'_>,
    folder: Option<&str>,
    found: UrlName<'_>,
    default: Option<&str>,
) -> Judged {
    let name = match (found.name, default) {
        ("", Some(default)) => default,
        (name, _) => name,
    };
    let odd = name.is_empty() || name.contains('%') || matches!(name, "." | "..");
    if odd || found.query.contains(['%', '/']) {
        let why = "the file is named after the address, in a way that cannot be foreseen; use `-o` or `-O`";
        return Err(Objection::never(Rule::Argument, why));
    }
    match folder {
        Some(folder) => context.write(&format!("{}/{name}", folder.trim_end_matches('/'))),
        None => context.write(name),
    }
}

/// Returns the files that `curl` or `wget` would write, as far as their words are understood.
pub(super) fn fetched(context: &Context<'_>) -> Vec<String> {
    let context = Context { named: 1, ..*context };
    let is_curl = context.program() == "curl";
    let (table, style) = if is_curl {
        (&CURL, Style { equals: false, ..Style::EXACT })
    } else {
        (&WGET, Style::GNU)
    };
    let Ok(items) = context.items(table, style) else { return Vec::new() };
    let value = |names: &[&str]| {
        items.iter().rev().find_map(|item| match item {
            Item::Flag { name, value, .. } if names.contains(name) => *value,
            _ => None,
        })
    };
    let folder = value(&["--output-dir", "-P", "--directory-prefix"]);
    let below = |name: &str| match folder {
        Some(folder) => format!("{}/{name}", folder.trim_end_matches('/')),
        None => name.to_owned(),
    };
    let mut files = Vec::new();
    for item in &items {
        match item {
            Item::Flag { name, value: Some(value), .. }
                if is_curl && matches!(*name, "-o" | "--output" | "-D" | "--dump-header") =>
            {
                files.extend([below(value), (*value).to_owned()]);
            }
            // What the other side says is in the log of wget too.
            Item::Flag {
                name: "-O" | "--output-document" | "-o" | "--output-file" | "-a" | "--append-output",
                value: Some(value),
                ..
            } => {
                files.push((*value).to_owned());
            }
            _ => {}
        }
    }
    let urls = operands(&items).map(|(text, _)| text).chain(value(&["--url"]));
    let names_itself = if is_curl {
        has_flag(&items, &["-O", "--remote-name"])
    } else {
        value(&["-O", "--output-document"]).is_none()
    };
    if names_itself {
        let name = |url| judge_url(url).map(|found: UrlName<'_>| found.name).ok();
        let default = |name| if str::is_empty(name) { "index.html" } else { name };
        files.extend(urls.filter_map(name).map(|name| below(default(name))));
    }
    files
}

static WGET: Table = Table::new(&[
    (
        Switch,
        "-q --quiet -v --verbose -nv --no-verbose -d --debug -S --server-response --spider -c \
         --continue -nc --no-clobber -N --timestamping --no-use-server-timestamps -4 --inet4-only -6 \
         --inet6-only --no-dns-cache --no-cache --no-cookies --no-hsts --no-http-keep-alive \
         --no-proxy --no-glob --retry-connrefused --show-progress --no-netrc --https-only \
         --ignore-length --no-iri --no-config -h --help -V --version -nd --no-directories \
         --random-wait",
    ),
    (
        Text,
        "-t --tries -T --timeout --dns-timeout --connect-timeout --read-timeout -w --wait \
         --waitretry --limit-rate -Q --quota -U --user-agent --referer --max-redirect --prefer-family \
         --secure-protocol --retry-on-http-error --header --report-speed --compression",
    ),
    (OptionalText, "--progress"),
    (Own, "-O --output-document -P --directory-prefix"),
    (Write, "-o --output-file -a --append-output"),
    (Ask(NeverEnds), "-b --background"),
    (
        Ask(NeverEnds),
        "-r --recursive -m --mirror -p --page-requisites -k --convert-links -l --level -H \
         --span-hosts -np --no-parent -A --accept -R --reject -D --domains --exclude-domains -F \
         --force-html -L --relative -I --include-directories -X --exclude-directories -K \
         --backup-converted --follow-tags --ignore-tags --follow-ftp --accept-regex --reject-regex \
         --delete-after",
    ),
    (Ask(Uploads), "--post-data --post-file --method --body-data --body-file"),
    (Ask(Executes), "--use-askpass -e --execute"),
    (Ask(Configures), "--config --input-metalink --metalink-over-http --metalink-index"),
    (
        Ask(Reads),
        "-i --input-file -B --base --load-cookies --user --password --ask-password --http-user \
         --http-password --http-passwd --ftp-user --ftp-password --proxy-user --proxy-password \
         --certificate --certificate-type --private-key --private-key-type --ca-certificate \
         --ca-directory --crl-file --pinnedpubkey --random-file --egd-file --auth-no-challenge",
    ),
    (
        Ask(Network),
        "--no-check-certificate --bind-address --bind-dns-address --dns-servers --ciphers \
         --no-passive-ftp --proxy -Y --local-encoding --remote-encoding",
    ),
    (
        Ask(Writes),
        "--save-cookies --keep-session-cookies --hsts-file --content-disposition \
         --content-on-error --trust-server-names -x --force-directories -nH --no-host-directories \
         --cut-dirs --protocol-directories -E --adjust-extension --html-extension --default-page \
         --backups --unlink --warc-file --warc-header --warc-cdx --warc-dedup --warc-tempdir \
         --warc-max-size --save-headers --restrict-file-names --xattr --rejected-log \
         --preserve-permissions --retr-symlinks --start-pos",
    ),
]);

pub(super) fn wget(context: &Context<'_>) -> Judged {
    let items = context.items(&WGET, Style::GNU)?;
    let named = |names: [&str; 2]| {
        items.iter().rev().find_map(|item| match item {
            Item::Flag { name, value, .. } if names.contains(name) => *value,
            _ => None,
        })
    };
    for (_, value, _) in own_values(&items) {
        context.output(value.unwrap_or_default())?;
    }
    let document = named(["-O", "--output-document"]);
    let folder = named(["-P", "--directory-prefix"]);
    let writes = document.is_none() && !has_flag(&items, &["--spider"]);
    let mut urls = operands(&items).peekable();
    let shows_help = super::asks_for_help(&items) || has_flag(&items, &["-h", "-V"]);
    if urls.peek().is_none() && !shows_help {
        return Err(Objection::never(Rule::Argument, "`wget` is given no address"));
    }
    for (url, _) in urls {
        let found = judge_url(url)?;
        if writes {
            fetched_name(context, folder, found, Some("index.html"))?;
        }
    }
    Ok(())
}

#[cfg(test)]
pub(super) const TABLES: &[&Table] = &[&CURL, &WGET];
