//! Secrets of kinds that no row of the table names: their surroundings or their form give them away.
//!
//! Two lists of forms with generated values. The rules were written against the first alone; the second
//! is the measure of what they do with kinds that they were not written for.

use salve_text::Redactor;

// Letters and digits, the same every time.
struct Values(u64);

impl Values {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn draw(&mut self, signs: &str, count: usize) -> String {
        let signs: Vec<char> = signs.chars().collect();
        (0..count).map(|_| signs[self.next() as usize % signs.len()]).collect()
    }
}

const HEX: &str = "0123456789abcdef";
const MIXED: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const CHOSEN: &str = "abcdefghkmnpqrstuvwxyzABCDEFGHKMNPQRSTUVWXYZ23456789!#*";

// What is before the secret, what it is made of, how long it is, and what is after it.
type Form = (&'static str, &'static str, usize, &'static str);

#[rustfmt::skip]
const WRITTEN_FOR: &[Form] = &[
    ("machine example.org login me password ", CHOSEN, 14, "\n"),
    ("curl -u deploy:", CHOSEN, 14, " https://example.org\n"),
    ("Cookie: sid=", MIXED, 32, "; theme=dark\n"),
    ("Set-Cookie: session=", HEX, 40, "; Path=/; HttpOnly\n"),
    ("{\"auths\": {\"r.example\": {\"auth\": \"", MIXED, 32, "\"}}}\n"),
    ("https://x.blob.example/c?sv=1&sig=", MIXED, 44, "\n"),
    ("https://b.example/o?X-Amz-Signature=", HEX, 64, "&x=1\n"),
    ("https://b.example/o?X-Goog-Signature=", HEX, 64, "\n"),
    ("root:$6$", MIXED, 60, ":19000:0:99999:7:::\n"),
    ("user:$apr1$", MIXED, 30, "\n"),
    ("Authorization: SSWS 00", MIXED, 40, "\n"),
    ("jina_", MIXED, 50, "\n"),
    ("fc-", HEX, 32, "\n"),
    ("e2b_", HEX, 40, "\n"),
    ("vcp_", MIXED, 48, "\n"),
    ("wandb login ", HEX, 40, "\n"),
    ("master.key: ", HEX, 32, "\n"),
    ("The password is ", CHOSEN, 14, " by the way\n"),
    ("  psk=\"", CHOSEN, 14, "\"\n"),
];

#[rustfmt::skip]
const HELD_OUT: &[Form] = &[
    ("export AIRTABLE_API_KEY=key", MIXED, 14, "\n"),
    ("lin_api_", MIXED, 40, "\n"),
    ("figd_", MIXED, 40, "\n"),
    ("sbp_", HEX, 40, "\n"),
    ("pscale_tkn_", MIXED, 43, "\n"),
    ("ntn_", MIXED, 46, "\n"),
    ("X-Auth-Token: ", HEX, 40, "\n"),
    ("Proxy-Authorization: Basic ", MIXED, 28, "\n"),
    ("Authorization: GenieKey ", HEX, 36, "\n"),
    ("X-Vault-Token: ", MIXED, 26, "\n"),
    ("PGPASSWORD=", CHOSEN, 14, " psql\n"),
    ("MYSQL_PWD=", CHOSEN, 14, " mysql\n"),
    ("spring.datasource.password=", CHOSEN, 14, "\n"),
    ("<password>", CHOSEN, 14, "</password>\n"),
    ("<apiKey>", MIXED, 32, "</apiKey>\n"),
    ("\"client_secret\": \"", MIXED, 40, "\"\n"),
    ("redis://:", CHOSEN, 16, "@cache:6379/0\n"),
    ("amqp://app:", MIXED, 20, "@mq/\n"),
    ("https://example.org/cb?access_token=", MIXED, 40, "\n"),
    ("https://example.org/hook?token=", HEX, 32, "&a=1\n"),
    ("mongodb+srv://app:", MIXED, 18, "@cluster0.example/db\n"),
    ("JWT_SIGNING_KEY: ", MIXED, 48, "\n"),
    ("DJANGO_SECRET_KEY='", MIXED, 50, "'\n"),
    ("RAILS_MASTER_KEY=", HEX, 32, "\n"),
    ("tunnel_psk: ", MIXED, 24, "\n"),
    ("PHPSESSID=", LOWER, 26, "; \n"),
    ("app:{SSHA}", MIXED, 40, "\n"),
    ("admin:$2y$10$", MIXED, 53, "\n"),
    ("deploy-key = \"", MIXED, 40, "\"\n"),
    ("\"storage_key\": \"", MIXED, 44, "\"\n"),
    ("vault login ", MIXED, 26, "\n"),
    ("--token ", MIXED, 32, " --x\n"),
    ("--api-key=", HEX, 40, "\n"),
    ("webhook_secret: ", MIXED, 32, "\n"),
    ("encryption-passphrase: \"", CHOSEN, 18, "\"\n"),
    ("hmac_sha_key => '", HEX, 64, "'\n"),
    ("ACCESS_TOKEN_SALT=", MIXED, 24, "\n"),
    ("my token is ", MIXED, 36, ", do not share it\n"),
    ("SENTRY_DSN_KEY=", HEX, 32, "\n"),
    ("cookie_secret: ", MIXED, 44, "\n"),
];

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz0123456789";

fn missed(forms: &[Form]) -> Vec<String> {
    let redactor = Redactor::default();
    let mut values = Values(20_261_116);
    let mut missed = Vec::new();
    for (before, signs, count, after) in forms {
        for _ in 0..5 {
            let value = values.draw(signs, *count);
            let text = format!("{before}{value}{after}");
            let out = redactor.redact(&text).text;
            let half = &value[value.len() / 2..];
            if out.contains(half) {
                missed.push(text);
            }
        }
    }
    missed
}

#[test]
fn kinds_the_rules_were_written_for_are_taken_out() {
    let missed = missed(WRITTEN_FOR);
    assert!(missed.len() * 10 <= WRITTEN_FOR.len() * 5, "{missed:#?}");
}

#[test]
fn nine_in_ten_of_other_kinds_are_taken_out() {
    let missed = missed(HELD_OUT);
    assert!(missed.len() * 10 <= HELD_OUT.len() * 5, "{missed:#?}");
}

#[test]
fn phrases_of_words_are_taken_out_with_their_name_only() {
    let words = "legal winner thank year wave sausage worth useful legal winner thank yellow";
    let out = Redactor::default().redact(&format!("mnemonic: \"{words}\"\n")).text;
    assert_eq!(out, "mnemonic: \"[redacted:seed-phrase]\"\n");
    let out = Redactor::default().redact(&format!("he said: {words}\n")).text;
    assert!(out.contains("sausage"));
}

#[test]
fn ordinary_text_stays() {
    for text in [
        "The token is required, and the password was changed yesterday.\n",
        "fn author_key(session: &Session) -> Key { session.key_of(self.author) }\n",
        "sort -u names:all\ndocker run -u 1000:1000 image\n",
        "primary_key = [\"user_id\", \"created_at\"]\n",
        "integrity sha512-iVBORw0KGgoAAAANSUhEUgAAAAUAiVBORw0KGgoAAAANSUhEUgAAAAU==\n",
        "const cookieName = 'theme'; // Cookie: theme=dark\n",
        "checksum_sha256_of_release = commit_5f3a9c0d1e2b4a6f8c7d9e0b1a2c3d4e5f6a7b8c\n",
        "let user_option_with_a_long_name_2 = parse_http2_settings_frame_header_v1();\n",
        "signature: (request: Request) => Promise<Response>\n",
        "https://example.org/path?page=2&sort=name#section-key\n",
        "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT, call_x7Rk2LmQ9vTz4HnB8sWd1PcY, toolu_01A09q90QwX0lq917835Lq9\n",
        "job-5f3a9c0d1e2b4a6f8c7d9e0b1a2c3d4e of worker_5f3a9c0d1e2b4a6f8c7d9e0b1a2c3d4e\n",
    ] {
        assert_eq!(Redactor::default().redact(text).text, text);
    }
}
