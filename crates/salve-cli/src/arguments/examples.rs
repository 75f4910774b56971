//! Examples of every command and subcommand.
//!
//! In: nothing. Out: the lines that `--help` and the manual pages show, by the words of the command. Never
//! a line that does not parse: a test reads them all.

/// The examples of each command, one a line.
pub(super) const EXAMPLES: &[(&str, &str)] = &[
    (
        "apply",
        "salve apply < reply.md\nsalve apply reply.md --dry-run\nsalve apply --paste --check\nsalve apply --interactive --edits reply.md",
    ),
    ("cache", "salve cache\nsalve cache clear"),
    ("cache list", "salve cache list\nsalve cache list --format json"),
    ("cache clear", "salve cache clear\nsalve cache clear --all"),
    ("calls", "salve calls\nsalve calls list --state unknown\nsalve calls show 12"),
    ("calls list", "salve calls list --limit 10\nsalve calls list --state unknown --key laptop"),
    ("calls show", "salve calls show 12\nsalve calls show 12 --format json"),
    ("calls resolve", "salve calls resolve 12 --as never-made\nsalve calls resolve 12 --as worst"),
    ("calls false-alarm", "salve calls false-alarm 12"),
    (
        "chat",
        "salve chat\nsalve chat -p 'add a test for parse'\nsalve chat --session last -p continue --format jsonl\nsalve chat --yes --max-cost 0.50 < request.md\nsalve chat --practice shop",
    ),
    (
        "check",
        "salve check\nsalve check src/parse.rs\nsalve check --changed\nsalve check --target cargo-test\nsalve check --format sarif > findings.sarif\nsalve check --format github",
    ),
    (
        "checkpoint",
        "salve checkpoint create green\nsalve checkpoint list\nsalve checkpoint restore green",
    ),
    (
        "checkpoint create",
        "salve checkpoint create green\nsalve checkpoint create -C project green src/a.rs",
    ),
    ("checkpoint list", "salve checkpoint list\nsalve checkpoint list --format json"),
    (
        "checkpoint restore",
        "salve checkpoint restore\nsalve checkpoint restore green\nsalve checkpoint restore '#3' --force",
    ),
    ("clean", "salve clean --lang rust < answer.md > main.rs\nsalve clean --explain answer.md"),
    ("completions", "salve completions bash > ~/.local/share/bash-completion/completions/salve"),
    ("config", "salve config show --origin"),
    ("config show", "salve config show\nsalve config show --origin"),
    (
        "decisions",
        "salve decisions list\nsalve decisions show ID\nsalve decisions pin ID --reason 'reviewed'",
    ),
    (
        "decisions list",
        "salve decisions list --here\nsalve decisions list --scope build --type rule_applied\nsalve decisions list --held --format json",
    ),
    ("decisions show", "salve decisions show ID\nsalve decisions show ID --format json"),
    ("decisions pin", "salve decisions pin ID --reason 'reviewed'"),
    ("decisions unpin", "salve decisions unpin ID --reason 'no longer true'"),
    (
        "decisions supersede",
        "salve decisions supersede ID --choice 'use the new parser' --reason 'the old one is gone'",
    ),
    (
        "decisions export",
        "salve decisions export > decisions.json\nsalve decisions export --here decisions.json",
    ),
    ("demo", "salve demo"),
    ("diff", "salve diff\nsalve diff 3"),
    ("doctor", "salve doctor\nsalve doctor --format json"),
    ("explain", "salve explain OPEN_DOUBLE_QUOTE\nsalve explain"),
    ("files", "salve files\nsalve files --log --turn 2\nsalve files ID --format json"),
    (
        "flow",
        "salve flow check workflows.json\nsalve flow graph workflows.json --svg\nsalve flow run -p 'write src/limit.ts, a rate limiter'",
    ),
    (
        "flow run",
        "salve flow run -p 'write src/limit.ts, a rate limiter'\nsalve flow run workflows.json --input input.json --watch\nsalve flow run workflows.json -p 'document the API' --path docs/api.md --format jsonl",
    ),
    ("flow check", "salve flow check\nsalve flow check workflows.json --format json"),
    ("flow graph", "salve flow graph\nsalve flow graph workflows.json --svg"),
    (
        "gateway",
        "salve gateway --upstream https://api.openai.com/v1\nsalve gateway --upstream https://api.anthropic.com --port 8800",
    ),
    (
        "heal",
        "salve heal\nsalve heal --no-model\nsalve heal -- cargo test\nsalve heal --dry-run\nsalve heal --patch fix.patch --format json\nsalve heal --keep-going",
    ),
    ("heal status", "salve heal status\nsalve heal status --format json"),
    (
        "history",
        "salve history\nsalve history --limit 5 --format json\nsalve history gc --max-size 100",
    ),
    ("history gc", "salve history gc\nsalve history gc --max-size 100"),
    ("history export", "salve history export 3 > change.json"),
    (
        "inspect",
        "salve inspect reply.ts --lang ts\nsalve inspect reply.ts --finish-reason length --format json\nsalve inspect main.rs --format sarif",
    ),
    (
        "jobs",
        "salve jobs\nsalve jobs start --prompt task.md --lang rust > main.rs\nsalve jobs show ID\nsalve jobs retry ID",
    ),
    (
        "jobs start",
        "salve jobs start --prompt task.md --lang rust > main.rs\nsalve jobs start --prompt task.md --id nightly --detach\necho 'Write a haiku.' | salve jobs start --model openai/gpt-5",
    ),
    (
        "jobs list",
        "salve jobs list --open\nsalve jobs list --in-doubt\nsalve jobs list --format json",
    ),
    ("jobs show", "salve jobs show ID\nsalve jobs show ID --result > main.rs"),
    ("jobs watch", "salve jobs watch ID\nsalve jobs watch ID --after 17 --format jsonl"),
    ("jobs cancel", "salve jobs cancel ID\nsalve jobs cancel ID --reason 'changed my mind'"),
    ("jobs resolve", "salve jobs resolve KEY retry\nsalve jobs resolve KEY use answer.txt"),
    ("jobs retry", "salve jobs retry ID\nsalve jobs retry ID --accept-partial"),
    ("jobs pause", "salve jobs pause ID"),
    ("jobs resume", "salve jobs resume ID"),
    ("jobs purge", "salve jobs purge\nsalve jobs purge --older-than 7 --flow Generate"),
    ("keys", "salve keys\nsalve keys add --name laptop\nsalve keys revoke laptop"),
    (
        "keys add",
        "salve keys add --name laptop\nsalve keys add --name ci --dollars-per-day 2.50 --requests-per-minute 30",
    ),
    ("keys list", "salve keys list\nsalve keys list --format json"),
    ("keys revoke", "salve keys revoke laptop"),
    (
        "knowledge",
        "salve knowledge list\nsalve knowledge stats\nsalve knowledge show ID\ncargo build 2>&1 | salve knowledge check",
    ),
    (
        "knowledge learn",
        "salve knowledge learn --pairs fixes.jsonl\nsalve knowledge learn --pairs - --format json < fixes.jsonl",
    ),
    (
        "knowledge list",
        "salve knowledge list --here\nsalve knowledge list --only rules --state quarantined\nsalve knowledge list --format json",
    ),
    ("knowledge show", "salve knowledge show ID\nsalve knowledge show ID --format json"),
    ("knowledge pin", "salve knowledge pin ID --reason 'reviewed by the team'"),
    ("knowledge unpin", "salve knowledge unpin ID"),
    ("knowledge disable", "salve knowledge disable ID"),
    ("knowledge enable", "salve knowledge enable ID"),
    (
        "knowledge export",
        "salve knowledge export > healing-patterns.json\nsalve knowledge export --full --all shared.json\nsalve knowledge export --rules salve.rules",
    ),
    (
        "knowledge import",
        "salve knowledge import healing-patterns.json\nsalve knowledge import salve.rules\nsalve knowledge import --shared - < shared.json",
    ),
    (
        "knowledge stats",
        "salve knowledge stats\nsalve knowledge stats --days 7 --here --format json",
    ),
    (
        "knowledge check",
        "cargo build 2>&1 | salve knowledge check\nsalve knowledge check --signature SIGNATURE --format json",
    ),
    ("man", "salve man run | man -l -"),
    (
        "parse",
        "salve parse < answer.txt\nsalve parse --schema my-schema.json --format json < answer.txt",
    ),
    (
        "plan",
        "salve plan make -p 'add authentication to the app'\nsalve plan show last\nsalve plan run last --yes\nsalve plan undo last 2",
    ),
    (
        "plan make",
        "salve plan make -p 'add authentication to the app'\nsalve plan make -p 'rename Cart to Basket' --map 'src/**/*.py'\nsalve plan make --import tasks.json --format json\nsalve plan make --granularity fine < request.md",
    ),
    (
        "plan show",
        "salve plan show\nsalve plan show ID --format json\nsalve plan show ID --documents",
    ),
    (
        "plan edit",
        "salve plan edit last --remove 3\nsalve plan edit last --reorder 2,1 --priority 4=1\nsalve plan edit last --set '2=Write the tests first'\nsalve plan edit last --file tasks.json",
    ),
    (
        "plan run",
        "salve plan run last --yes\nsalve plan run ID --yes --strategy b --max-cost 0.50\nsalve plan run ID --yes --retry 2\nsalve plan run ID --yes --skip 2 --format json",
    ),
    ("plan undo", "salve plan undo last 2"),
    (
        "policy",
        "salve policy command 'npm test && git push'\nsalve policy path ../x .git/config src/a.rs\nsalve policy profile everyday\nsalve policy approvals",
    ),
    ("policy path", "salve policy path ../x .git/config src/a.rs"),
    (
        "policy command",
        "salve policy command 'npm test && git push'\nsalve policy command -C project 'cargo run' 'ls src'",
    ),
    (
        "policy profile",
        "salve policy profile\nsalve policy profile everyday\nsalve policy profile everyday --remove",
    ),
    (
        "policy approvals",
        "salve policy approvals\nsalve policy approvals revoke 2\nsalve policy approvals narrow 1 --locked",
    ),
    ("policy approvals list", "salve policy approvals list"),
    (
        "policy approvals revoke",
        "salve policy approvals revoke 2 3\nsalve policy approvals revoke --all",
    ),
    ("policy approvals narrow", "salve policy approvals narrow 1 --locked"),
    ("recover", "salve recover"),
    ("redo", "salve redo"),
    ("report", "salve report < report.json\nsalve report --no-model < report.json"),
    (
        "resume",
        "salve resume prompt reply.ts > prompt.txt\nsalve resume stitch --partial reply.ts --continuation more.txt > whole.ts",
    ),
    (
        "resume prompt",
        "salve resume prompt reply.ts > prompt.txt\nsalve resume prompt reply.ts --tail 2000 --template mine.txt",
    ),
    (
        "resume stitch",
        "salve resume stitch --partial reply.ts --continuation more.txt > whole.ts\nsalve resume stitch --batch < pairs.jsonl",
    ),
    ("rewind", "salve rewind 3\nsalve rewind 0"),
    (
        "run",
        "salve run -- cargo test\nsalve run --env DATABASE_URL --timeout 900 -- npm test\nsalve run --exit-code program -- pytest -q\nsalve run --allow-port 5432 -- npm test\nsalve run --no-input --line 'npm run build && npm test'\ncat data.json | salve run -- python3 tool.py",
    ),
    ("runs", "salve runs\nsalve runs --last 5\nsalve runs ID"),
    (
        "serve",
        "salve serve\nsalve serve -C project --no-open\nsalve serve --port 4000 --format json\nsalve serve --check",
    ),
    ("schema", "salve schema list\nsalve schema check CodeAndExplanation answer.json"),
    ("schema list", "salve schema list"),
    ("schema show", "salve schema show CodeAndExplanation > schema.json"),
    (
        "schema check",
        "salve schema check CodeAndExplanation answer.json\nsalve schema check my-schema.json < answer.json",
    ),
    (
        "sessions",
        "salve sessions\nsalve sessions show last\nsalve sessions rewind ID --turn 2\nsalve sessions export ID > session.json",
    ),
    ("sessions list", "salve sessions list --here\nsalve sessions list --format json"),
    (
        "sessions show",
        "salve sessions show last\nsalve sessions show ID --format json\nsalve sessions show ID --events --after 17 --format jsonl",
    ),
    (
        "sessions export",
        "salve sessions export ID > session.json\nsalve sessions export last audit.json --document audit",
    ),
    (
        "sessions resume",
        "salve sessions resume last\nsalve sessions resume last --yes\nsalve sessions resume last --keep src/a.py",
    ),
    (
        "sessions handoff",
        "salve sessions handoff last\nsalve sessions handoff ID --extend\nsalve sessions handoff ID --cancel",
    ),
    (
        "sessions images",
        "salve sessions images last\nsalve sessions images last --save-to art\nsalve sessions images last --regenerate ID --add 'darker'",
    ),
    ("sessions guide", "salve sessions guide last 'use tabs'"),
    ("sessions pause", "salve sessions pause last"),
    (
        "sessions rewind",
        "salve sessions rewind ID --turn 2\nsalve sessions rewind ID --turn 1 --files-only\nsalve sessions rewind ID --undo",
    ),
    ("sessions fork", "salve sessions fork ID\nsalve sessions fork last --turn 3"),
    ("sessions audit", "salve sessions audit ID\nsalve sessions audit last --on"),
    (
        "sessions bugs",
        "salve sessions bugs\nsalve sessions bugs ID --add 'it changed the wrong file' --turn 2",
    ),
    ("setup", "salve setup aider\nsalve setup claude-code --dry-run\nsalve setup aider --remove"),
    ("signature", "cargo build 2>&1 | salve signature --explain"),
    ("sim", "salve sim --script answers.jsonl --port 9000"),
    ("stats", "salve stats\nsalve stats --days 7"),
    ("todos", "salve todos\nsalve todos --open\nsalve todos ID --format json"),
    ("trust", "salve trust add\nsalve trust list\nsalve trust revoke"),
    ("trust add", "salve trust add\nsalve trust add -C project --yes"),
    ("trust list", "salve trust list"),
    ("trust revoke", "salve trust revoke\nsalve trust revoke -C project"),
    ("undo", "salve undo\nsalve undo 3\nsalve undo --file src/a.rs\nsalve undo --merge"),
    ("worker", "salve worker\nsalve worker --steps 4 --toolchain rust"),
];
