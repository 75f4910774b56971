//! The kinds of secrets that are known by their shape: one row each.
//!
//! In: nothing. Out: the table. A row says how a token of that kind begins, what its body is made
//! of, and how much the beginning alone proves. Never holds a token, not even an example.

use super::shape::Class;
use super::shape::Part::{self, Run, Text};
use super::shape::{at_least, exactly};

/// One shape of one kind of secret.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// The name in the marker.
    pub(super) kind: &'static str,
    /// What is looked for, exactly as written.
    pub(super) lead: &'static str,
    /// What follows it.
    pub(super) body: &'static [Part],
    /// How many characters of which class are before the lead and belong to the secret.
    pub(super) back: Option<(Class, usize, usize)>,
    /// What the body must look like.
    pub(super) proof: Proof,
    /// Whether the lead is hidden too, or only what follows it.
    pub(super) hides: Hides,
}

/// How much the lead proves by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Proof {
    /// No one else writes it: only fillers are let through.
    Lead,
    /// Names begin like that too: the body must look drawn at random.
    Body,
    /// One of these must be in the body.
    Holds(&'static [&'static str]),
}

/// What of a token is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hides {
    /// All of it.
    All,
    /// What follows the lead, which is the public part of an address or a setting.
    Rest,
}

/// The longest stretch before a lead that may belong to a secret.
pub(super) const LONGEST_BACK: usize = 60;

const fn sure(kind: &'static str, lead: &'static str, body: &'static [Part]) -> Row {
    Row { kind, lead, body, back: None, proof: Proof::Lead, hides: Hides::All }
}

const fn random(kind: &'static str, lead: &'static str, body: &'static [Part]) -> Row {
    Row { kind, lead, body, back: None, proof: Proof::Body, hides: Hides::All }
}

const fn rest(kind: &'static str, lead: &'static str, body: &'static [Part]) -> Row {
    Row { kind, lead, body, back: None, proof: Proof::Lead, hides: Hides::Rest }
}

const fn after(
    kind: &'static str,
    back: (Class, usize, usize),
    lead: &'static str,
    body: &'static [Part],
) -> Row {
    Row { kind, lead, body, back: Some(back), proof: Proof::Lead, hides: Hides::All }
}

const fn behind(
    kind: &'static str,
    back: (Class, usize, usize),
    lead: &'static str,
    body: &'static [Part],
) -> Row {
    Row { kind, lead, body, back: Some(back), proof: Proof::Body, hides: Hides::All }
}

const DIGIT: Class = Class::DIGIT;
const HEX: Class = Class::HEX;
const ANY_HEX: Class = Class::ANY_HEX;
const UPPER: Class = Class::UPPER;
const LOWER: Class = Class::LOWER;
const ALNUM: Class = Class::ALNUM;
const TOKEN: Class = Class::TOKEN;
const DOTTED: Class = Class::DOTTED;
const BASE64: Class = Class::BASE64;
const LETTERS: Class = Class::of(b"abcdefghijklmnopqrstuvwxyz");
const SECRET: Class = Class::DOTTED.with(b"~");
/// What a token without a separator of its own may not follow.
const PLAIN: Class = Class::TOKEN.with(b"+");
/// What a hash of a password is written in, its settings included.
const CRYPT: Class = Class::ALNUM.with(b"./$=,+");
/// Base64 of both alphabets.
const ENCODED: Class = Class::BASE64.with(b"_-");
const UUID: &[Part] = &[
    exactly(ANY_HEX, 8),
    Text("-"),
    exactly(ANY_HEX, 4),
    Text("-"),
    exactly(ANY_HEX, 4),
    Text("-"),
    exactly(ANY_HEX, 4),
    Text("-"),
    exactly(ANY_HEX, 12),
];

/// `PRIVATE KEY` in base64, at the three places where it may begin.
const PRIVATE: &[&str] =
    &["UFJJVkFURSBLRVkt", "BSSVZBVEUgS0VZ", "QUklWQVRFIEtFWS0t", "klWQVRFIEtFWS"];

/// Every row; of those that fit at a place, the first counts.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
    // Hashes of passwords, as `shadow` and `htpasswd` keep them.
    sure("password-hash", "$1$", &[at_least(CRYPT, 22)]),
    sure("password-hash", "$5$", &[at_least(CRYPT, 30)]),
    sure("password-hash", "$6$", &[at_least(CRYPT, 40)]),
    sure("password-hash", "$y$", &[at_least(CRYPT, 40)]),
    sure("password-hash", "$2a$", &[at_least(CRYPT, 40)]),
    sure("password-hash", "$2b$", &[at_least(CRYPT, 40)]),
    sure("password-hash", "$2y$", &[at_least(CRYPT, 40)]),
    sure("password-hash", "$apr1$", &[at_least(CRYPT, 24)]),
    sure("password-hash", "$argon2", &[at_least(CRYPT, 40)]),
    sure("password-hash", "{SSHA}", &[at_least(BASE64, 28)]),
    sure("password-hash", "{SHA}", &[at_least(BASE64, 26)]),
    // The beginnings of private keys in base64, without their heading.
    sure("private-key", "b3BlbnNzaC1rZXktdjE", &[at_least(BASE64, 40)]),
    random("private-key", "MIIEpAIBAAKCAQEA", &[at_least(BASE64, 40)]),
    random("private-key", "MIIEowIBAAKCAQEA", &[at_least(BASE64, 40)]),
    random("private-key", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", &[at_least(BASE64, 40)]),
    random("private-key", "MIIEvgIBADANBgkqhkiG9w0BAQEFAASC", &[at_least(BASE64, 40)]),
    // Models.
    sure("google-key", "AQ.Ab", &[at_least(TOKEN, 36)]),
    sure("anthropic-key", "sk-ant-", &[at_least(TOKEN, 20)]),
    sure("openrouter-key", "sk-or-", &[at_least(TOKEN, 20)]),
    sure("openai-key", "sk-proj-", &[at_least(TOKEN, 20)]),
    sure("openai-key", "sk-svcacct-", &[at_least(TOKEN, 20)]),
    sure("openai-key", "sk-admin-", &[at_least(TOKEN, 20)]),
    sure("langfuse-key", "sk-lf-", UUID),
    random("openai-key", "sk-", &[at_least(TOKEN, 20)]),
    sure("xai-key", "xai-", &[at_least(TOKEN, 40)]),
    sure("groq-key", "gsk_", &[at_least(TOKEN, 22)]),
    random("huggingface-token", "hf_", &[at_least(TOKEN, 30)]),
    random("huggingface-token", "api_org_", &[at_least(TOKEN, 30)]),
    random("replicate-token", "r8_", &[at_least(TOKEN, 30)]),
    sure("together-key", "tgp_v1_", &[at_least(TOKEN, 40)]),
    random("llama-key", "llx-", &[at_least(TOKEN, 40)]),
    sure("perplexity-key", "pplx-", &[at_least(TOKEN, 32)]),
    sure("nvidia-key", "nvapi-", &[at_least(TOKEN, 40)]),
    random("cerebras-key", "csk-", &[at_least(TOKEN, 32)]),
    random("fireworks-key", "fw_", &[at_least(TOKEN, 22)]),
    sure("tavily-key", "tvly-", &[at_least(TOKEN, 20)]),
    sure("langsmith-key", "lsv2_", &[at_least(TOKEN, 30)]),
    sure("pinecone-key", "pcsk_", &[at_least(TOKEN, 30)]),
    random("elevenlabs-key", "sk_", &[exactly(HEX, 48)]),
    // Clouds.
    sure("aws-access-key", "AKIA", &[Run(UPPER, 16, 17)]),
    sure("aws-access-key", "ASIA", &[Run(UPPER, 16, 17)]),
    sure("aws-access-key", "ABIA", &[Run(UPPER, 16, 17)]),
    sure("aws-access-key", "ACCA", &[Run(UPPER, 16, 17)]),
    sure("aws-access-key", "AGPA", &[Run(UPPER, 16, 17)]),
    sure("aws-access-key", "AIDA", &[Run(UPPER, 16, 17)]),
    sure("aws-access-key", "AIPA", &[Run(UPPER, 16, 17)]),
    sure("aws-access-key", "ANPA", &[Run(UPPER, 16, 17)]),
    sure("aws-access-key", "ANVA", &[Run(UPPER, 16, 17)]),
    sure("aws-access-key", "AROA", &[Run(UPPER, 16, 17)]),
    sure("aws-access-key", "APKA", &[Run(UPPER, 16, 17)]),
    sure("aws-access-key", "ASCA", &[Run(UPPER, 16, 17)]),
    sure("aws-access-key", "A3T", &[Run(UPPER, 17, 18)]),
    behind("aws-bedrock-key", (PLAIN, 0, 0), "ABSK", &[at_least(BASE64, 28)]),
    sure("aws-bedrock-key", "bedrock-api-key-", &[at_least(BASE64, 28)]),
    random("aws-appsync-key", "da2-", &[exactly(LOWER, 26)]),
    sure("aws-mws-token", "amzn.mws.", &[at_least(LOWER.with(b"-"), 36)]),
    sure("akamai-token", "akab-", &[exactly(LOWER, 16), Text("-"), exactly(LOWER, 16)]),
    after("google-api-key", (PLAIN, 0, 0), "AIza", &[exactly(TOKEN, 35)]),
    sure("google-oauth-token", "ya29.", &[at_least(DOTTED, 20)]),
    sure("google-client-secret", "GOCSPX-", &[at_least(TOKEN, 20)]),
    random("google-refresh-token", "1//0", &[at_least(TOKEN, 30)]),
    rest("azure-storage-key", "AccountKey=", &[at_least(BASE64, 40)]),
    rest("azure-shared-key", "SharedAccessKey=", &[at_least(BASE64, 30)]),
    rest("azure-shared-signature", "SharedAccessSignature sr=", &[at_least(Class::CREDENTIAL, 30)]),
    after("azure-client-secret", (SECRET, 4, 4), "Q~", &[at_least(SECRET, 31)]),
    behind("alibaba-access-key", (PLAIN, 0, 0), "LTAI", &[Run(ALNUM, 12, 24)]),
    after("azure-storage-key", (ALNUM, 52, 52), "JQQJ9", &[at_least(BASE64, 27)]),
    behind("tencent-secret-id", (PLAIN, 0, 0), "AKID", &[Run(ALNUM, 32, 32)]),
    sure("digitalocean-token", "dop_v1_", &[at_least(HEX, 64)]),
    sure("digitalocean-token", "doo_v1_", &[at_least(HEX, 64)]),
    sure("digitalocean-token", "dor_v1_", &[at_least(HEX, 64)]),
    sure("digitalocean-token", "dos_v1_", &[at_least(HEX, 64)]),
    sure("heroku-key", "HRKU-", &[at_least(TOKEN, 30)]),
    sure("cloudflare-origin-key", "v1.0-", &[exactly(HEX, 24), Text("-"), at_least(HEX, 100)]),
    random("cloudflare-token", "cfat_", &[at_least(TOKEN, 40)]),
    random("cloudflare-token", "cfut_", &[at_least(TOKEN, 40)]),
    random("cloudflare-token", "cfk_", &[at_least(TOKEN, 40)]),
    sure("netlify-token", "nfp_", &[at_least(TOKEN, 30)]),
    sure("vercel-token", "vercel_blob_rw_", &[at_least(TOKEN, 20)]),
    sure("flyio-token", "FlyV1 ", &[at_least(Class::CREDENTIAL, 40)]),
    sure("flyio-token", "fo1_", &[at_least(TOKEN, 40)]),
    sure("render-key", "rnd_", &[at_least(TOKEN, 28)]),
    sure("databricks-token", "dapi", &[Run(HEX, 32, 34)]),
    sure("databricks-token", "dapi", &[exactly(HEX, 32), Text("-"), exactly(DIGIT, 1)]),
    sure("yandex-key", "AQVN", &[at_least(TOKEN, 35)]),
    // Forges and registries.
    sure("github-token", "ghp_", &[at_least(TOKEN, 36)]),
    sure("github-token", "gho_", &[at_least(TOKEN, 36)]),
    sure("github-token", "ghu_", &[at_least(TOKEN, 36)]),
    sure("github-token", "ghs_", &[at_least(DOTTED, 30)]),
    sure("github-token", "ghr_", &[at_least(TOKEN, 36)]),
    sure("github-token", "github_pat_", &[at_least(TOKEN, 36)]),
    sure("gitlab-token", "glpat-", &[at_least(DOTTED, 20)]),
    sure("gitlab-token", "gldt-", &[at_least(DOTTED, 20)]),
    sure("gitlab-token", "glrt-", &[at_least(DOTTED, 20)]),
    sure("gitlab-token", "glcbt-", &[at_least(DOTTED, 20)]),
    sure("gitlab-token", "glptt-", &[at_least(DOTTED, 20)]),
    sure("gitlab-token", "glft-", &[at_least(DOTTED, 20)]),
    sure("gitlab-token", "glimt-", &[at_least(DOTTED, 20)]),
    sure("gitlab-token", "glagent-", &[at_least(DOTTED, 20)]),
    sure("gitlab-token", "gloas-", &[at_least(DOTTED, 20)]),
    sure("gitlab-token", "glsoat-", &[at_least(DOTTED, 20)]),
    sure("gitlab-token", "glffct-", &[at_least(DOTTED, 20)]),
    sure("gitlab-token", "glrtr-", &[at_least(DOTTED, 20)]),
    sure("gitlab-token", "glwt-", &[at_least(DOTTED, 20)]),
    rest("gitlab-session", "_gitlab_session=", &[at_least(DOTTED, 20)]),
    sure("gitlab-token", "GR1348941", &[at_least(DOTTED, 20)]),
    sure("bitbucket-token", "ATBB", &[at_least(TOKEN, 28)]),
    sure("atlassian-token", "ATATT3", &[Run(TOKEN, 60, 1024), Text("\\="), at_least(UPPER, 8)]),
    sure("atlassian-token", "ATATT3", &[Run(TOKEN, 60, 1024), Text("\\\\="), at_least(UPPER, 8)]),
    sure("atlassian-token", "ATATT3", &[Run(TOKEN, 60, 1024), Text("\\u003d"), at_least(UPPER, 8)]),
    sure("atlassian-token", "ATATT3", &[Run(TOKEN, 60, 1024), Text("\\\\u003d"), at_least(UPPER, 8)]),
    sure("atlassian-token", "ATATT3", &[Run(TOKEN, 60, 1024), Text("\\u003D"), at_least(UPPER, 8)]),
    sure("atlassian-token", "ATATT3", &[Run(TOKEN, 60, 1024), Text("\\\\u003D"), at_least(UPPER, 8)]),
    sure("atlassian-token", "ATCTT3", &[Run(TOKEN, 60, 1024), Text("\\="), at_least(UPPER, 8)]),
    sure("atlassian-token", "ATCTT3", &[Run(TOKEN, 60, 1024), Text("\\\\="), at_least(UPPER, 8)]),
    sure("atlassian-token", "ATCTT3", &[Run(TOKEN, 60, 1024), Text("\\u003d"), at_least(UPPER, 8)]),
    sure("atlassian-token", "ATCTT3", &[Run(TOKEN, 60, 1024), Text("\\\\u003d"), at_least(UPPER, 8)]),
    sure("atlassian-token", "ATCTT3", &[Run(TOKEN, 60, 1024), Text("\\u003D"), at_least(UPPER, 8)]),
    sure("atlassian-token", "ATCTT3", &[Run(TOKEN, 60, 1024), Text("\\\\u003D"), at_least(UPPER, 8)]),
    sure("atlassian-token", "ATATT3", &[at_least(Class::CREDENTIAL, 60)]),
    sure("atlassian-token", "ATCTT3", &[at_least(Class::CREDENTIAL, 60)]),
    sure("bitbucket-token", "BBDC-", &[at_least(TOKEN, 40)]),
    sure("npm-token", "npm_", &[at_least(TOKEN, 36)]),
    sure("pypi-token", "pypi-", &[at_least(TOKEN, 60)]),
    behind("crates-token", (PLAIN, 0, 0), "cio", &[exactly(ALNUM, 32)]),
    sure("rubygems-key", "rubygems_", &[at_least(HEX, 40)]),
    behind("nuget-key", (PLAIN, 0, 0), "oy2", &[exactly(LOWER, 43)]),
    sure("docker-token", "dckr_pat_", &[at_least(TOKEN, 20)]),
    sure("docker-token", "dckr_oat_", &[at_least(TOKEN, 20)]),
    sure("clojars-token", "CLOJARS_", &[at_least(TOKEN, 50)]),
    behind("artifactory-key", (PLAIN, 0, 0), "AKCp", &[at_least(TOKEN, 60)]),
    behind("artifactory-token", (PLAIN, 0, 0), "cmVmd", &[at_least(TOKEN, 55)]),
    sure("circleci-token", "CCIPAT_", &[at_least(TOKEN, 30)]),
    sure("circleci-token", "CCIPRJ_", &[at_least(TOKEN, 30)]),
    sure("buildkite-token", "bkua_", &[at_least(HEX, 40)]),
    sure("sonar-token", "squ_", &[at_least(HEX, 40)]),
    sure("sonar-token", "sqp_", &[at_least(HEX, 40)]),
    sure("sonar-token", "sqa_", &[at_least(HEX, 40)]),
    sure("wundergraph-key", "cosmo_", &[at_least(HEX, 32)]),
    sure("docker-swarm-token", "SWMTKN-1-", &[at_least(TOKEN, 40)]),
    sure("docker-swarm-key", "SWMKEY-1-", &[at_least(TOKEN, 40)]),
    sure("snyk-token", "snyk_", &[at_least(DOTTED, 30)]),
    // Talking to people.
    sure("slack-token", "xoxa-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxb-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxc-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxd-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxe-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxf-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxg-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxh-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxi-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxj-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxk-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxl-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxm-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxn-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxo-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxp-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxq-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxr-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxs-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxt-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxu-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxv-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxw-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxx-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxy-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxz-", &[at_least(DOTTED.with(b"%"), 10)]),
    sure("slack-token", "xoxe.", &[at_least(DOTTED, 20)]),
    sure("slack-token", "xapp-", &[at_least(TOKEN, 10)]),
    rest("slack-webhook", "hooks.slack.com/services/", &[at_least(Class::CREDENTIAL, 20)]),
    rest("slack-webhook", "hooks.slack.com/workflows/", &[at_least(Class::CREDENTIAL, 20)]),
    rest("slack-webhook", "hooks.slack.com/triggers/", &[at_least(Class::CREDENTIAL, 20)]),
    rest("discord-webhook", "discord.com/api/webhooks/", &[Run(DIGIT, 15, 22), Text("/"), at_least(TOKEN, 30)]),
    rest("discord-webhook", "discordapp.com/api/webhooks/", &[Run(DIGIT, 15, 22), Text("/"), at_least(TOKEN, 30)]),
    rest("teams-webhook", "webhook.office.com/webhookb2/", &[at_least(Class::CREDENTIAL.with(b"@"), 60)]),
    rest("teams-webhook", "outlook.office.com/webhook/", &[at_least(Class::CREDENTIAL.with(b"@"), 60)]),
    behind("telegram-token", (DIGIT, 7, 9), "0:", &[exactly(TOKEN, 35)]),
    behind("telegram-token", (DIGIT, 7, 9), "1:", &[exactly(TOKEN, 35)]),
    behind("telegram-token", (DIGIT, 7, 9), "2:", &[exactly(TOKEN, 35)]),
    behind("telegram-token", (DIGIT, 7, 9), "3:", &[exactly(TOKEN, 35)]),
    behind("telegram-token", (DIGIT, 7, 9), "4:", &[exactly(TOKEN, 35)]),
    behind("telegram-token", (DIGIT, 7, 9), "5:", &[exactly(TOKEN, 35)]),
    behind("telegram-token", (DIGIT, 7, 9), "6:", &[exactly(TOKEN, 35)]),
    behind("telegram-token", (DIGIT, 7, 9), "7:", &[exactly(TOKEN, 35)]),
    behind("telegram-token", (DIGIT, 7, 9), "8:", &[exactly(TOKEN, 35)]),
    behind("telegram-token", (DIGIT, 7, 9), "9:", &[exactly(TOKEN, 35)]),
    behind("facebook-app-token", (DIGIT, 11, 17), "0|", &[Run(TOKEN, 24, 28)]),
    behind("facebook-app-token", (DIGIT, 11, 17), "1|", &[Run(TOKEN, 24, 28)]),
    behind("facebook-app-token", (DIGIT, 11, 17), "2|", &[Run(TOKEN, 24, 28)]),
    behind("facebook-app-token", (DIGIT, 11, 17), "3|", &[Run(TOKEN, 24, 28)]),
    behind("facebook-app-token", (DIGIT, 11, 17), "4|", &[Run(TOKEN, 24, 28)]),
    behind("facebook-app-token", (DIGIT, 11, 17), "5|", &[Run(TOKEN, 24, 28)]),
    behind("facebook-app-token", (DIGIT, 11, 17), "6|", &[Run(TOKEN, 24, 28)]),
    behind("facebook-app-token", (DIGIT, 11, 17), "7|", &[Run(TOKEN, 24, 28)]),
    behind("facebook-app-token", (DIGIT, 11, 17), "8|", &[Run(TOKEN, 24, 28)]),
    behind("facebook-app-token", (DIGIT, 11, 17), "9|", &[Run(TOKEN, 24, 28)]),
    behind("mailchimp-key", (TOKEN, 32, 32), "-us", &[Run(DIGIT, 1, 2)]),
    sure("sendgrid-key", "SG.", &[Run(TOKEN, 16, 40), Text("."), at_least(TOKEN, 16)]),
    random("mailgun-key", "key-", &[exactly(ALNUM, 32)]),
    sure("brevo-key", "xkeysib-", &[at_least(TOKEN, 40)]),
    sure("brevo-key", "xsmtpsib-", &[at_least(TOKEN, 40)]),
    sure("nylas-key", "nyk_v0_", &[at_least(TOKEN, 40)]),
    random("resend-key", "re_", &[Run(ALNUM, 8, 8), Text("_"), at_least(TOKEN, 20)]),
    behind("twilio-id", (PLAIN, 0, 0), "AC", &[exactly(ANY_HEX, 32)]),
    behind("twilio-id", (PLAIN, 0, 0), "AD", &[exactly(ANY_HEX, 32)]),
    behind("twilio-id", (PLAIN, 0, 0), "AL", &[exactly(ANY_HEX, 32)]),
    behind("twilio-id", (PLAIN, 0, 0), "CA", &[exactly(ANY_HEX, 32)]),
    behind("twilio-id", (PLAIN, 0, 0), "CF", &[exactly(ANY_HEX, 32)]),
    behind("twilio-id", (PLAIN, 0, 0), "CL", &[exactly(ANY_HEX, 32)]),
    behind("twilio-id", (PLAIN, 0, 0), "CN", &[exactly(ANY_HEX, 32)]),
    behind("twilio-id", (PLAIN, 0, 0), "CR", &[exactly(ANY_HEX, 32)]),
    behind("twilio-id", (PLAIN, 0, 0), "FW", &[exactly(ANY_HEX, 32)]),
    behind("twilio-id", (PLAIN, 0, 0), "IP", &[exactly(ANY_HEX, 32)]),
    behind("twilio-id", (PLAIN, 0, 0), "KS", &[exactly(ANY_HEX, 32)]),
    behind("twilio-id", (PLAIN, 0, 0), "MM", &[exactly(ANY_HEX, 32)]),
    behind("twilio-id", (PLAIN, 0, 0), "NO", &[exactly(ANY_HEX, 32)]),
    behind("twilio-id", (PLAIN, 0, 0), "PK", &[exactly(ANY_HEX, 32)]),
    behind("twilio-id", (PLAIN, 0, 0), "PN", &[exactly(ANY_HEX, 32)]),
    behind("twilio-id", (PLAIN, 0, 0), "QU", &[exactly(ANY_HEX, 32)]),
    behind("twilio-id", (PLAIN, 0, 0), "RE", &[exactly(ANY_HEX, 32)]),
    behind("twilio-id", (PLAIN, 0, 0), "SC", &[exactly(ANY_HEX, 32)]),
    behind("twilio-id", (PLAIN, 0, 0), "SD", &[exactly(ANY_HEX, 32)]),
    behind("twilio-id", (PLAIN, 0, 0), "SK", &[exactly(ANY_HEX, 32)]),
    behind("twilio-id", (PLAIN, 0, 0), "SM", &[exactly(ANY_HEX, 32)]),
    behind("twilio-id", (PLAIN, 0, 0), "TR", &[exactly(ANY_HEX, 32)]),
    behind("twilio-id", (PLAIN, 0, 0), "UT", &[exactly(ANY_HEX, 32)]),
    behind("twilio-id", (PLAIN, 0, 0), "XE", &[exactly(ANY_HEX, 32)]),
    behind("twilio-id", (PLAIN, 0, 0), "XR", &[exactly(ANY_HEX, 32)]),
    after("intercom-token", (PLAIN, 0, 0), "dG9rO", &[at_least(BASE64, 50)]),
    sure("hubspot-token", "pat-na", &[exactly(DIGIT, 1), Text("-"), exactly(ANY_HEX, 8), Text("-"), at_least(TOKEN, 20)]),
    sure("hubspot-token", "pat-eu", &[exactly(DIGIT, 1), Text("-"), exactly(ANY_HEX, 8), Text("-"), at_least(TOKEN, 20)]),
    behind("facebook-token", (PLAIN, 0, 0), "EAA", &[at_least(TOKEN, 60)]),
    sure("instagram-token", "IGQV", &[at_least(ENCODED, 60)]),
    random("twitter-bearer", "AAAAAAAAAAAAAAAAAAAAA", &[Run(ALNUM.with(b"%"), 30, 60), Text("\\u003d"), at_least(ALNUM, 40)]),
    random("twitter-bearer", "AAAAAAAAAAAAAAAAAAAAA", &[Run(ALNUM.with(b"%"), 30, 60), Text("\\\\u003d"), at_least(ALNUM, 40)]),
    random("twitter-bearer", "AAAAAAAAAAAAAAAAAAAAA", &[Run(ALNUM.with(b"%"), 30, 60), Text("\\u003D"), at_least(ALNUM, 40)]),
    random("twitter-bearer", "AAAAAAAAAAAAAAAAAAAAA", &[Run(ALNUM.with(b"%"), 30, 60), Text("\\\\u003D"), at_least(ALNUM, 40)]),
    random("twitter-bearer", "AAAAAAAAAAAAAAAAAAAAA", &[at_least(Class::CREDENTIAL, 40)]),
    // Money.
    sure("stripe-key", "sk_live_", &[at_least(TOKEN, 16)]),
    sure("stripe-key", "sk_test_", &[at_least(TOKEN, 16)]),
    sure("stripe-key", "sk_prod_", &[at_least(TOKEN, 16)]),
    sure("stripe-key", "rk_live_", &[at_least(TOKEN, 16)]),
    sure("stripe-key", "rk_test_", &[at_least(TOKEN, 16)]),
    sure("stripe-key", "rk_prod_", &[at_least(TOKEN, 16)]),
    random("stripe-key", "pk_live_", &[at_least(TOKEN, 16)]),
    random("stripe-key", "pk_test_", &[at_least(TOKEN, 16)]),
    sure("stripe-webhook-secret", "whsec_", &[at_least(BASE64, 24)]),
    sure("square-token", "sq0", &[exactly(LETTERS, 3), Text("-"), at_least(TOKEN, 22)]),
    behind("square-token", (PLAIN, 0, 0), "EAAA", &[at_least(TOKEN, 60)]),
    sure("paypal-token", "access_token$production$", &[exactly(LOWER, 16), Text("$"), at_least(LOWER, 32)]),
    sure("paypal-token", "access_token$sandbox$", &[exactly(LOWER, 16), Text("$"), at_least(LOWER, 32)]),
    sure("shopify-token", "shpat_", &[at_least(ANY_HEX, 32)]),
    sure("shopify-token", "shpca_", &[at_least(ANY_HEX, 32)]),
    sure("shopify-token", "shppa_", &[at_least(ANY_HEX, 32)]),
    sure("shopify-token", "shpss_", &[at_least(ANY_HEX, 32)]),
    sure("shopify-token", "shptka_", &[at_least(ANY_HEX, 32)]),
    sure("shippo-token", "shippo_live_", &[at_least(HEX, 40)]),
    sure("shippo-token", "shippo_test_", &[at_least(HEX, 40)]),
    behind("easypost-key", (PLAIN, 0, 0), "EZAK", &[at_least(TOKEN, 54)]),
    behind("easypost-key", (PLAIN, 0, 0), "EZTK", &[at_least(TOKEN, 54)]),
    sure("flutterwave-key", "FLWSECK", &[at_least(TOKEN, 20)]),
    random("razorpay-key", "rzp_live_", &[at_least(TOKEN, 14)]),
    random("razorpay-key", "rzp_test_", &[at_least(TOKEN, 14)]),
    sure("plaid-token", "access-production-", UUID),
    sure("plaid-token", "access-sandbox-", UUID),
    sure("plaid-token", "access-development-", UUID),
    // Running things.
    sure("sentry-token", "sntrys_", &[at_least(ENCODED, 40)]),
    sure("sentry-token", "sntryu_", &[at_least(HEX, 40)]),
    sure("datadog-key", "ddapp_", &[at_least(TOKEN, 30)]),
    sure("newrelic-key", "NRAK-", &[at_least(TOKEN, 20)]),
    sure("newrelic-key", "NRJS-", &[at_least(LOWER, 19)]),
    sure("newrelic-key", "NRII-", &[at_least(TOKEN, 25)]),
    sure("newrelic-key", "NRAA-", &[at_least(HEX, 27)]),
    sure("newrelic-key", "NRBR-", &[at_least(HEX, 19)]),
    sure("newrelic-key", "NRRA-", &[at_least(HEX, 40)]),
    after("newrelic-key", (LOWER, 36, 36), "NRAL", &[]),
    sure("grafana-token", "glsa_", &[at_least(TOKEN, 32)]),
    sure("grafana-token", "glc_", &[at_least(ENCODED, 32)]),
    sure("grafana-key", "eyJrIjoi", &[at_least(BASE64, 40)]),
    sure("vault-token", "hvs.", &[at_least(TOKEN, 24)]),
    sure("vault-token", "hvb.", &[at_least(TOKEN, 24)]),
    sure("vault-token", "hvr.", &[at_least(TOKEN, 24)]),
    after("terraform-token", (TOKEN, 14, 14), ".atlasv1.", &[at_least(TOKEN, 40)]),
    sure("pulumi-token", "pul-", &[at_least(HEX, 40)]),
    sure("doppler-token", "dp.pt.", &[at_least(TOKEN, 40)]),
    sure("doppler-token", "dp.st.", &[at_least(DOTTED, 40)]),
    sure("doppler-token", "dp.ct.", &[at_least(TOKEN, 40)]),
    sure("doppler-token", "dp.scim.", &[at_least(TOKEN, 40)]),
    sure("doppler-token", "dp.audit.", &[at_least(TOKEN, 40)]),
    sure("doppler-token", "dp.sa.", &[at_least(TOKEN, 40)]),
    sure("supabase-token", "sbp_v0_", &[at_least(HEX, 40)]),
    sure("supabase-token", "sbp_", &[at_least(HEX, 40)]),
    sure("supabase-key", "sb_secret_", &[at_least(TOKEN, 20)]),
    sure("planetscale-token", "pscale_tkn_", &[at_least(DOTTED, 30)]),
    sure("planetscale-password", "pscale_pw_", &[at_least(DOTTED, 30)]),
    sure("planetscale-token", "pscale_oauth_", &[at_least(DOTTED, 30)]),
    sure("neon-key", "napi_", &[at_least(TOKEN, 40)]),
    sure("tailscale-key", "tskey-", &[at_least(TOKEN, 20)]),
    sure("dynatrace-token", "dt0", &[exactly(LOWER, 3), Text("."), exactly(UPPER, 24), Text("."), at_least(UPPER, 60)]),
    sure("posthog-key", "phx_", &[at_least(TOKEN, 40)]),
    sure("sourcegraph-token", "sgp_", &[at_least(TOKEN, 40)]),
    sure("prefect-key", "pnu_", &[at_least(TOKEN, 36)]),
    sure("launchdarkly-key", "api-", UUID),
    sure("launchdarkly-key", "sdk-", UUID),
    sure("onepassword-token", "ops_eyJ", &[at_least(ENCODED, 100)]),
    sure("defined-key", "dnkey-", &[exactly(UPPER, 26), Text("-"), at_least(UPPER, 40)]),
    sure("onepassword-key", "A3-", &[exactly(UPPER, 6), Text("-"), at_least(UPPER.with(b"-"), 26)]),
    // Work.
    sure("linear-key", "lin_api_", &[at_least(TOKEN, 32)]),
    sure("linear-key", "lin_oauth_", &[at_least(TOKEN, 32)]),
    sure("notion-token", "ntn_", &[at_least(TOKEN, 40)]),
    random("notion-token", "secret_", &[exactly(ALNUM, 43)]),
    sure("figma-token", "figd_", &[at_least(TOKEN, 36)]),
    sure("airtable-token", "pat", &[exactly(ALNUM, 14), Text("."), at_least(HEX, 60)]),
    sure("postman-key", "PMAT-", &[at_least(UPPER, 26)]),
    sure("postman-key", "PMAK-", &[exactly(ANY_HEX, 24), Text("-"), at_least(ANY_HEX, 34)]),
    random("dropbox-token", "sl.", &[at_least(DOTTED, 70)]),
    sure("contentful-token", "CFPAT-", &[at_least(TOKEN, 40)]),
    sure("typeform-token", "tfp_", &[at_least(DOTTED, 40)]),
    sure("readme-key", "rdme_", &[at_least(LOWER, 60)]),
    sure("frameio-token", "fio-u-", &[at_least(TOKEN, 60)]),
    sure("duffel-token", "duffel_live_", &[at_least(TOKEN, 40)]),
    sure("duffel-token", "duffel_test_", &[at_least(TOKEN, 40)]),
    sure("riot-key", "RGAPI-", UUID),
    sure("wakatime-key", "waka_", UUID),
    random("mapbox-token", "sk.eyJ", &[at_least(DOTTED, 60)]),
    // Formats.
    sure("age-key", "AGE-SECRET-KEY-1", &[at_least(UPPER, 50)]),
    after("jwt", (ENCODED, 0, 0), "eyJ", &[Run(ENCODED, 10, 1024), Text("."), at_least(ENCODED.with(b"."), 20)]),
    after("paseto", (DOTTED, 0, 0), "v1.local.", &[at_least(DOTTED, 15)]),
    after("paseto", (DOTTED, 0, 0), "v2.local.", &[at_least(DOTTED, 15)]),
    after("paseto", (DOTTED, 0, 0), "v3.local.", &[at_least(DOTTED, 15)]),
    after("paseto", (DOTTED, 0, 0), "v4.local.", &[at_least(DOTTED, 15)]),
    after("paseto", (DOTTED, 0, 0), "v1.public.", &[at_least(DOTTED, 15)]),
    after("paseto", (DOTTED, 0, 0), "v2.public.", &[at_least(DOTTED, 15)]),
    after("paseto", (DOTTED, 0, 0), "v3.public.", &[at_least(DOTTED, 15)]),
    after("paseto", (DOTTED, 0, 0), "v4.public.", &[at_least(DOTTED, 15)]),
    after("paserk", (DOTTED, 0, 0), "k1.secret", &[at_least(DOTTED, 15)]),
    after("paserk", (DOTTED, 0, 0), "k2.secret", &[at_least(DOTTED, 15)]),
    after("paserk", (DOTTED, 0, 0), "k3.secret", &[at_least(DOTTED, 15)]),
    after("paserk", (DOTTED, 0, 0), "k4.secret", &[at_least(DOTTED, 15)]),
    after("paserk", (DOTTED, 0, 0), "k1.local", &[at_least(DOTTED, 15)]),
    after("paserk", (DOTTED, 0, 0), "k2.local", &[at_least(DOTTED, 15)]),
    after("paserk", (DOTTED, 0, 0), "k3.local", &[at_least(DOTTED, 15)]),
    after("paserk", (DOTTED, 0, 0), "k4.local", &[at_least(DOTTED, 15)]),
    after("ntlm-message", (ENCODED, 0, 0), "TlRMTVNTUAA", &[at_least(ENCODED, 28)]),
    // A private key in DER begins with its version, which a certificate does not have there.
    after("private-key", (ENCODED, 0, 0), "MII", &[exactly(BASE64, 4), Text("IBAA"), at_least(BASE64, 40)]),
    Row { kind: "private-key", lead: "LS0t", body: &[at_least(ENCODED, 40)], back: None, proof: Proof::Holds(PRIVATE), hides: Hides::Rest },
    // Our own.
    sure("salve-key", "salve_", &[at_least(TOKEN, 40)]),
];
