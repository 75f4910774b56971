//! Every program on the list, with lines that pass and lines that are asked about.
//!
//! In: tables. Out: nothing but passed tests.

use super::facts::{HostileRepository, NamesOnly};
use super::judge;
use crate::{
    AutoRun, AutoRunMode, ListEntry, PolicyRules, RiskClass, Rule, judge_command, may_auto_run,
};

#[track_caller]
fn pass(lines: &str) {
    check(lines, true);
}

#[track_caller]
fn ask(lines: &str) {
    check(lines, false);
}

#[track_caller]
fn check(lines: &str, allow: bool) {
    let wrong: Vec<String> = lines
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| (line, judge(line)))
        .filter(|(_, verdict)| verdict.allow != allow)
        .map(|(line, verdict)| format!("{line}   ({}: {})", verdict.rule.name(), verdict.why))
        .collect();
    assert!(wrong.is_empty(), "expected allow = {allow}:\n{}", wrong.join("\n"));
}

#[test]
fn c059_prefixes_are_whole_words() {
    pass("npm run build\nls\ncat a > b\ngit status");
    ask("npm runx\nlsof\nls; rm -rf x\nls $(rm x)\nLS\n./ls\nnpm  \ntscx\ngit statusx\nnpm\ngit");
    let written = judge("cat a > b");
    assert_eq!(written.risk, RiskClass::Write);
    assert_eq!(may_auto_run(&written, true, AutoRunMode::Strict), AutoRun::TooRisky);
    for line in ["npm runx", "lsof", "ls; rm -rf x", "ls $(rm x)"] {
        assert_eq!(may_auto_run(&judge(line), true, AutoRunMode::Listed), AutoRun::NotAllowed);
    }
    assert_eq!(may_auto_run(&judge("npm run build"), true, AutoRunMode::Strict), AutoRun::Run);
}

#[test]
fn c060_deletes_are_always_asked_about() {
    ask(
        "rm x\nrm -rf .\nrmdir x\nunlink x\nshred x\ngit clean -fd\nfind . -delete\nls | xargs rm\n\
         find . -exec rm {} +\ngit branch -D x\nsudo rm x\ntruncate -s0 x",
    );
    let mut rules = PolicyRules::default();
    for entry in ["rm", "rm -rf", "git clean", "xargs", "find . -delete", "sudo"] {
        rules.allowed.push(ListEntry::new(entry, RiskClass::Write));
    }
    for line in ["rm x", "rm -rf x", "git clean -fd", "ls | xargs rm", "find . -delete", "sudo ls"]
    {
        let verdict = judge_command(line, &rules, &NamesOnly, &super::PlainRepository);
        assert!(!verdict.allow && verdict.smallest.is_none(), "{line}: {verdict:?}");
    }
}

#[test]
fn c058_classes_decide_what_starts_by_itself() {
    for (line, risk, strict) in [
        ("ls", RiskClass::Read, AutoRun::Run),
        ("cargo test", RiskClass::Build, AutoRun::Run),
        ("cargo test 2>/dev/null", RiskClass::Build, AutoRun::Run),
        ("touch x", RiskClass::Write, AutoRun::TooRisky),
        ("ls && touch x", RiskClass::Write, AutoRun::TooRisky),
        ("git branch", RiskClass::Read, AutoRun::Run),
        ("git branch new", RiskClass::Write, AutoRun::TooRisky),
        ("npm install", RiskClass::Network, AutoRun::TooRisky),
        ("curl https://example.com", RiskClass::Network, AutoRun::TooRisky),
    ] {
        let verdict = judge(line);
        assert_eq!((verdict.allow, verdict.risk), (true, risk), "{line}");
        assert_eq!(may_auto_run(&verdict, true, AutoRunMode::Strict), strict, "{line}");
        assert_eq!(may_auto_run(&verdict, true, AutoRunMode::Listed), AutoRun::Run, "{line}");
    }
}

#[test]
fn x22_nothing_starts_by_itself_unless_turned_on_and_every_layer_is_there() {
    let fine = judge("ls");
    assert_eq!(AutoRunMode::default(), AutoRunMode::Off);
    assert_eq!(may_auto_run(&fine, true, AutoRunMode::Off), AutoRun::TurnedOff);
    assert_eq!(may_auto_run(&fine, false, AutoRunMode::Listed), AutoRun::MissingLayers);
    assert_eq!(may_auto_run(&fine, false, AutoRunMode::Strict), AutoRun::MissingLayers);
    assert_eq!(may_auto_run(&judge("rm x"), true, AutoRunMode::Listed), AutoRun::NotAllowed);
}

#[test]
fn x12_one_gate_names_rule_segment_and_smallest_entry() {
    let verdict = judge("ls && make -j4 all; rm x");
    assert_eq!(verdict.rule, Rule::NotListed);
    let segment = verdict.segment.unwrap();
    assert_eq!((segment.index, segment.argv.join(" ")), (1, "make -j4 all".to_owned()));
    assert_eq!(verdict.smallest.unwrap().join(" "), "make -j4 all");
    let argv: Vec<Vec<String>> = verdict.plan.unwrap().commands().map(|c| c.argv.clone()).collect();
    assert_eq!(argv, [vec!["ls"], vec!["make", "-j4", "all"], vec!["rm", "x"]]);
    for (line, smallest) in [
        ("ls --frobnicate x", Some("ls --frobnicate")),
        ("tail -f x", Some("tail -f")),
        ("npm ci", Some("npm ci")),
        ("rm x", None),
        ("cat /etc/passwd", None),
        ("find . -exec ls {} +", None),
        ("cat <(ls)", None),
    ] {
        let found = judge(line).smallest.map(|words| words.join(" "));
        assert_eq!(found.as_deref(), smallest, "{line}");
    }
}

#[test]
fn the_smallest_entry_allows_the_line_it_was_shown_for() {
    for line in [
        "make -j4 all",
        "ls --frobnicate x",
        "npm ci",
        "tail -f x",
        "npm run dev",
        "git push origin",
        "python -m venv .venv",
    ] {
        let mut rules = PolicyRules::default();
        for _ in 0..4 {
            let verdict = judge_command(line, &rules, &NamesOnly, &super::PlainRepository);
            let Some(words) = verdict.smallest else { break };
            rules.allowed.push(ListEntry { words, risk: RiskClass::Write });
        }
        let verdict = judge_command(line, &rules, &NamesOnly, &super::PlainRepository);
        assert!(verdict.allow, "{line}: {verdict:?}");
    }
}

#[test]
fn an_entry_without_a_table_still_keeps_paths_inside() {
    let mut rules = PolicyRules::default();
    rules.allowed.push(ListEntry::new("make", RiskClass::Build));
    let judge = |line: &str| judge_command(line, &rules, &NamesOnly, &super::PlainRepository).allow;
    assert!(judge("make") && judge("make -j4 test") && judge("make OUT=dist"));
    for line in ["make -C /tmp/x", "make -f ../x", "make OUT=/etc", "make -I/etc", "make .env"] {
        assert!(!judge(line), "{line}");
    }
}

#[test]
fn refused_entries_win_over_allowed_ones() {
    let mut rules = PolicyRules::default();
    rules.refused.push(ListEntry::new("npm run deploy", RiskClass::Network));
    let allow = |line| judge_command(line, &rules, &NamesOnly, &super::PlainRepository).allow;
    assert!(allow("npm run build") && !allow("npm run deploy") && !allow("npm run deploy -- x"));
}

#[test]
fn files_are_shown_made_and_repeated() {
    pass(
        "ls -lah --color=auto src\nls -1 --sort=time\nls --human-readable\nls --rev\nls -ld .\nls *\nls src/*.rs\n\
          cat -n src/a.rs src/b.rs\ncat src/*.rs\ncat -- -weird\nhead -n5 a\nhead -c 100 a\nhead -20 a b\n\
          head --lines=5 a\ntail -n +5 a\ntail --lines 3 a\ntail -c 20 a\nmkdir -p a/b/c\nmkdir -m 755 a\n\
          mkdir -pv a b\ntouch a b c\ntouch -d yesterday a\ntouch -r src/a.rs b\necho -n x\necho --help -rf /\n\
          pwd -P\necho a | cat\necho a | tail -n 1\ncat < a\nls -la | head\necho hi >> notes.txt",
    );
    ask(
        "ls /\nls ..\nls -L\nls --dereference\nls --nope\nls .git\ncat\nhead\ntail -n 3\ncat -\ncat /etc/passwd\n\
         cat --nope a\ntail -f a\ntail -5f a\ntail -fn5 a\ntail -nf 5 a\ntail -qF a\ntail --follow a\ntail --fol=name a\n\
         tail --retry a\ntail +5f a\ntail --pid=1 a\ncat secret/*\nmkdir ../a\nmkdir /x\nmkdir -m\nmkdir -Z a\n\
         mkdir .git\ntouch .env\ntouch -r /etc/passwd a\ntouch --reference=/etc/passwd a\npwd x\nls flags/*\n\
         ls d*\necho *\ntouch *\nmkdir *\ncat .env\nhead certs/x.pem\nls -la ~\ncat 'https://example.com'",
    );
}

#[test]
fn searches_only_look() {
    pass(
        "grep -rn TODO .\ngrep -rn --include='*.rs' x src\ngrep -c x a\ngrep -A3 -B 2 x a\ngrep -5 x a\n\
          grep -e -x -e y a\ngrep -E 'a|b' src/*.rs\ngrep -il x *\ngrep --color=always x a\ngrep -m1 -- -x a\n\
          ls | grep x\ngrep -v '^#' a | grep -c x\ngrep -rL x src\ngrep -o '/etc/[a-z]*' a\ngrep -P '\\d+' a\n\
          find . -name '*.rs'\nfind src tests -type f -size +1M\nfind . -name a -o -name b\nfind . ! -name a\n\
          find . \\( -name a -o -name b \\) -print\nfind . -path ./node_modules -prune -o -print\nfind\nfind .\n\
          find . -maxdepth 1 -type f -newermt 2024-01-01\nfind . -newer a -printf '%p\\n'\nfind . -mtime -7\n\
          find . -perm -u+x\nfind -name x\nfind . -not -path './target/*'\nfind . -empty -ls\nfind src/ -iname '*.ts'",
    );
    ask(
        "grep x\ngrep -R x src\ngrep -rn x /\ngrep -f /etc/shadow a\ngrep -f/etc/shadow a\ngrep --file=/etc/shadow a\n\
         grep --exclude-from=/etc/x a b\ngrep x ../a\ngrep x .env\ngrep -D read x a\ngrep --devices=read x a\n\
         grep --nope x a\ngrep -rn x ~\ngrep --dereference-rec x src\n\
         find . -delete\nfind . -exec ls {} ';'\nfind . -execdir ls {} +\nfind . -ok rm {} ';'\nfind . -okdir x ';'\n\
         find . -fprint x\nfind . -fprintf x y\nfind . -fls x\nfind . -fprint0 x\nfind -L .\nfind -H . -name x\n\
         find . -follow\nfind /\nfind .. -name x\nfind . -files0-from x\nfind . -newer /etc/passwd\n\
         find . -samefile ../x\nfind *\nfind . -name *.rs\nfind . -nope\nfind . -name\nfind . -neweraX x\n\
         find . -D exec\nfind ~ -name x\nfind . -name x -a -delete\nfind . -newerZZ x\nfind . src/../.. ",
    );
}

#[test]
fn copies_stay_inside_and_away_from_what_is_obeyed() {
    pass(
        "cp a b\ncp -r src dist\ncp -a src dist/\ncp a b c dist/\ncp -t dist a b\ncp --target-directory=dist a\n\
          cp -v a src/\ncp -rf templates/ dist/templates\nmv a b\nmv a b dist/\nmv -n a b\nmv src/a.rs src/b.rs\n\
          mv -t dist a\nmv --no-clobber a b\ncp -p a b\ncp --recurs src dist\ncp -u src/*.rs dist/\ncp src/*.none dist/\nmv -v src/*.rs dist/\n\
          cp -- -a b\ncp a ./b",
    );
    ask(
        "cp a ../b\ncp a /tmp/\ncp /etc/passwd .\ncp -s a b\ncp -l a b\ncp -rL src dist\ncp -H src dist\n\
         cp --symbolic-link a b\ncp --sym a b\ncp --link a b\ncp a .git/x\ncp x .git\ncp hook .husky/\n\
         cp config.toml .cargo/\ncp -t .cargo config.toml\ncp -r evil/. .\ncp -r evil/. ./.\ncp -rT evil src\n\
         cp -r x/.cargo .\ncp -r evil .github\ncp -r x/gradle .\ncp evil .vscode/settings.json\ncp -t../ a\n\
         cp --target-dir /etc a\ncp -at /etc a\ncp .env a\ncp -b a b\ncp --backup a b\ncp -S .x a b\ncp * dist\n\
         cp --nope a b\ncp -Z a b\ncp --parents ../x dist\ncp --copy-contents a b\ncp a /dev/null\n\
         mv a ..\nmv a /dev/null\nmv .git x\nmv .github x\nmv x .github\nmv ../a .\nmv /etc/passwd .\nmv -t ../ a\n\
         mv -b a b\nmv --suffix=x a b\nmv * dist\nmv . x\nmv evil .cargo/config.toml\nmv src/.. x\nmv --exchange a b\n\
         mv a .env\nmv .env a\nmv -T a src\ncp -r . dist\ncp -r ./. dist\ncp -r evil/. .cargo\ncp -r evil/. .github/\ncp -rt .cargo evil/.\n\
         cp -r evil/. a/.github",
    );
}

#[test]
fn fetching_reads_public_addresses_and_writes_inside() {
    pass(
        "curl https://example.com\ncurl -fsSL https://example.com/x.sh\ncurl -sS -o out.json https://example.com/a\n\
          curl -O https://example.com/data.csv\ncurl -s https://example.com | grep x\ncurl -IL https://example.com\n\
          curl -H 'Accept: application/json' https://api.example.com\ncurl -X GET https://example.com\n\
          curl -s -o /dev/null -w '%{http_code}' https://example.com\ncurl --max-time 5 --retry 3 https://example.com\n\
          curl -L --output dist/x.zip https://example.com/x.zip\ncurl --version\ncurl -A agent https://example.com\n\
          curl -oout.txt https://example.com\ncurl -D - https://example.com\ncurl --output-dir dist -O https://example.com/x\n\
          wget https://example.com/x.csv\nwget -q -O - https://example.com\nwget -qO- https://example.com\n\
          wget -O data/x https://example.com/\nwget -P data https://example.com/x.csv\nwget -nv -c https://example.com/x\n\
          wget --tries=3 --timeout=5 https://example.com/x\nwget --spider https://example.com\nwget -nc https://example.com/x\n\
          wget https://example.com",
    );
    ask(
        "curl\ncurl -o /etc/x https://example.com\ncurl -o../x https://example.com\ncurl --output ../x https://example.com\n\
         curl -so .git/hooks/x https://example.com\ncurl -O https://example.com/.bashrc\ncurl -O https://example.com/\n\
         curl -O https://example.com/%2e%2e\ncurl -JO https://example.com/x\ncurl -d x https://example.com\n\
         curl -dx https://example.com\ncurl --data-urlencode x@y https://example.com\ncurl -sd@x https://example.com\n\
         curl --json '{}' https://example.com\ncurl -F a=b https://example.com\ncurl -T x https://example.com\n\
         curl -X POST https://example.com\ncurl -XDELETE https://example.com\ncurl -H @x https://example.com\n\
         curl -w @x https://example.com\ncurl -w '%output{x}' https://example.com\ncurl -A @x https://example.com\n\
         curl -K x\ncurl -Kx\ncurl -k https://example.com\ncurl -x p https://example.com\ncurl -u a:b https://example.com\n\
         curl -b x https://example.com\ncurl -c x https://example.com\ncurl -E x https://example.com\ncurl -n https://example.com\n\
         curl --netrc-file x https://example.com\ncurl --cacert x https://example.com\ncurl --trace x https://example.com\n\
         curl --trace-ascii - https://example.com\ncurl --stderr x https://example.com\ncurl --etag-save x https://example.com\n\
         curl --libcurl x https://example.com\ncurl --proto-default file /etc/passwd\ncurl --next https://example.com\n\
         curl -: https://example.com\ncurl --unix-socket x http://y\ncurl --resolve a:1:127.0.0.1 http://a\n\
         curl --connect-to ::127.0.0.1: https://example.com\ncurl http://localhost:3000\ncurl http://127.0.0.1\n\
         curl http://169.254.169.254/\ncurl http://[::1]/\ncurl file:///etc/passwd\ncurl ftp://example.com/x\n\
         curl 'https://example.com/{a,b}'\ncurl 'https://example.com/[1-9]'\ncurl --url file:///etc/passwd\n\
         curl -z x https://example.com\ncurl -C - https://example.com\ncurl --dump-h /etc/x https://example.com\n\
         curl --OUTPUT /etc/x https://example.com\ncurl --variable x@y https://example.com\ncurl --expand-url x\n\
         curl -o '#1' https://example.com\ncurl --hsts x https://example.com\ncurl --alt-svc x https://example.com\n\
         curl --doh-url x https://example.com\ncurl -o x --output-dir .. https://example.com\ncurl --engine x https://example.com\n\
         curl -Q x https://example.com\ncurl --remote-name-all https://example.com/x\ncurl --output=x https://example.com\n\
         wget\nwget -O /etc/x https://example.com\nwget -O../x https://example.com\nwget -P.. https://example.com/x\n\
         wget -b https://example.com\nwget -r https://example.com\nwget -m https://example.com\nwget -i x\nwget -qi x\n\
         wget -e x=y https://example.com\nwget --exec x=y https://example.com\nwget --config=x https://example.com\n\
         wget --post-data=x https://example.com\nwget --post-f=x https://example.com\nwget --method=PUT https://example.com\n\
         wget --use-askpass=x https://example.com\nwget --load-cookies x https://example.com\nwget --header\n\
         wget --no-check-certificate https://example.com\nwget --content-disposition https://example.com\n\
         wget --trust-server-names https://example.com/x\nwget -x https://example.com\nwget -o /etc/log https://example.com\n\
         wget -a ../log https://example.com\nwget https://example.com/.bashrc\nwget http://localhost/x\n\
         wget file:///etc/passwd\nwget ftp://example.com/x\nwget --warc-file=x https://example.com\n\
         wget --save-cookies x https://example.com\nwget -p https://example.com\nwget -N -b https://example.com\n\
         wget --certificate=x https://example.com\nwget --ca-certificate=x https://example.com\n\
         wget --rejected-log=x https://example.com\nwget -nd -r https://example.com\nwget https://example.com/a%2fb",
    );
}

#[test]
fn git_only_looks_and_makes_branches() {
    pass(
        "git status\ngit status -sb\ngit status --porcelain -uall\ngit status src\ngit diff\ngit diff HEAD~1 -- src\n\
          git diff --cached --stat\ngit diff main..topic\ngit diff main...HEAD\ngit diff -U5 src/a.rs\ngit diff -w --word-diff=color\n\
          git diff --name-only --diff-filter=ACM\ngit diff HEAD:src/a.rs src/a.rs\ngit diff -- ':!vendor'\n\
          git diff -M90% --no-ext-diff\ngit log --oneline --graph --all -20\ngit log -p -1\ngit log -n5 --format='%h %s'\n\
          git log --since='2 weeks ago' --author=x\ngit log -S foo -- src\ngit log -Gfoo\ngit log --grep=fix -i\n\
          git log -L1,5:src/a.rs\ngit log --pretty=oneline --abbrev-commit\ngit log --stat -3\ngit log --follow src/a.rs\n\
          git log --date=short --decorate\ngit log main --not topic\ngit log v1.0..HEAD\ngit branch\ngit branch -avv\n\
          git branch --list 'feat/*'\ngit branch --merged\ngit branch --merged main\ngit branch --contains HEAD\n\
          git branch --sort=-committerdate\ngit branch topic main\ngit log --max-count=5\ngit diff --no-color",
    );
    ask(
        "git -c x=y status\ngit --git-dir=/x status\ngit -C .. status\ngit --exec-path=x status\ngit -p log\n\
         git --work-tree=/ status\ngit --paginate log\ngit --namespace=x log\ngit --config-env=a=b log\n\
         git diff --ext-diff\ngit diff --ext\ngit diff --textconv\ngit log --textconv -p\ngit diff --output=x\n\
         git diff --output x\ngit diff --outp=x\ngit log --output=x\ngit diff --no-index a b\ngit diff -O/etc/x\n\
         git diff /etc/passwd /dev/null\ngit diff --submodule=diff\ngit log --show-signature\ngit log --format='%G?'\n\
         git log --pretty='%GS'\ngit log --stdin\ngit log --remerge-diff\ngit log -L1,5:/etc/passwd\ngit diff .env\n\
         git log -p -- .env\ngit diff HEAD:.env\ngit diff ../x\ngit diff -- ':/x'\ngit diff -- ':(glob)**'\n\
         git status --pathspec-from-file=x\ngit status --no-optional-locks\ngit branch -d x\ngit branch -D x\n\
         git branch -rd x\ngit branch --delete x\ngit branch --del x\ngit branch -m x\ngit branch -M x\ngit branch -c a b\n\
         git branch -C a b\ngit branch -f a b\ngit branch --force a b\ngit branch -u origin/x\ngit branch --track a b\n\
         git branch --edit-description\ngit branch --set-upstream-to=x\ngit branch --unset-upstream\n\
         git branch --format='%(signature)'\ngit branch -qD x\ngit show\ngit checkout x\ngit commit -m x\ngit add .\n\
         git fetch\ngit pull\ngit grep x\ngit blame x\ngit stash\ngit config x y\ngit rev-parse\ngit diff *",
    );
    let hostile =
        |line| judge_command(line, &PolicyRules::default(), &NamesOnly, &HostileRepository);
    for line in ["git status", "git diff", "git log", "git branch", "go build ./..."] {
        assert_eq!(hostile(line).rule, Rule::Repository, "{line}");
    }
    assert!(hostile("ls").allow);
}

#[test]
fn node_packages_come_from_the_registry_and_scripts_end() {
    pass(
        "npm install lodash\nnpm install -D typescript@5.4 @types/node\nnpm install --save-dev eslint@^9\nnpm install react@latest\n\
          npm install --no-audit --no-fund\nnpm install --legacy-peer-deps\nnpm install --omit=dev\nnpm install --omit dev\n\
          npm install -DE x\nnpm run\nnpm run lint\nnpm run build -- --mode production\nnpm run test:unit\nnpm run -s build\n\
          npm test -- --coverage\nnpm test -- src/a.test.ts\nnpm test --silent\nnpm test -- --watch=false\n\
          npm test -- --watchAll=false\nnpm run build --workspace=pkg\nnpm run build -w pkg\nnpm run build --if-present\n\
          yarn install --frozen-lockfile\nyarn install\nyarn add -D jest\nyarn add react react-dom@18\nyarn test --coverage\n\
          yarn test src/a.test.ts\nyarn build --mode production\nyarn test -t 'a b'\npnpm install\npnpm install --frozen-lockfile\n\
          pnpm run lint\npnpm run build --silent\npnpm run test -- --run\npnpm install -D vitest\nnpm install 'x@>=1 <2'",
    );
    ask(
        "npm install -g x\nnpm install --global x\nnpm install -Dg x\nnpm install https://e.example/x.tgz\nnpm install git+ssh://x\n\
         npm install github:a/b\nnpm install a/b\nnpm install ./x\nnpm install ../x\nnpm install /x\nnpm install file:x\n\
         npm install x@file:../y\nnpm install x@npm:y\nnpm install x@https://y\nnpm install x.tgz\nnpm install --registry=x y\n\
         npm install --registry x y\nnpm install -registry=x y\nnpm install --reg=x y\nnpm install --prefix x\nnpm install -C x\n\
         npm install --userconfig x\nnpm install --script-shell=x\nnpm install --node-options=x\nnpm install --cache x\n\
         npm install --location=global x\nnpm install --force\nnpm install --git=x\nnpm install git@github.com:a/b\nnpm install .\n\
         npm run build --script-shell=x\nnpm run dev\nnpm run start\nnpm run watch\nnpm run test:watch\nnpm run build --prefix ..\n\
         npm run build -- --out /etc\nnpm run build -- ../x\nnpm run build -- --watch\nnpm test -- --watchAll\nnpm test --watch\n\
         npm test -- --inspect-brk\nnpm run --prefix=/tmp/x build\nnpm start\nnpm ci\nnpx x\nnpm x y\nnpm exec x\n\
         yarn add https://x/y.tgz\nyarn add ../x\nyarn add a/b\nyarn add link:../x\nyarn install --cwd /x\nyarn install --registry x\n\
         yarn test --watch\nyarn test --cwd ..\nyarn build --frob\nyarn global add x\nyarn install --modules-folder /x\n\
         yarn --cwd x test\nyarn add --registry=x y\nyarn dlx x\nyarn install --use-yarnrc x\nyarn test --rootDir ..\n\
         pnpm install -g x\npnpm install --dir ..\npnpm install -C ..\npnpm install --store-dir x\npnpm install --config.x=y\n\
         pnpm run dev\npnpm run build --dir x\npnpm run build -C x\npnpm run build --script-shell=x\npnpm --dir x run build\n\
         pnpm install ../x\npnpm exec x\npnpm run build --watch\nnpm run build *",
    );
}

#[test]
fn tsc_compiles_once_and_inside() {
    pass(
        "tsc\ntsc --noEmit\ntsc --noEmit -p tsconfig.json\ntsc -p . --outDir dist\ntsc --noemit --strict true\ntsc src/a.ts\n\
          tsc --target es2022 --module nodenext src/a.ts\ntsc -b\ntsc --build --verbose\ntsc --lib es2022,dom --noEmit\n\
          tsc --version\ntsc -v\ntsc --declaration --emitDeclarationOnly --outDir dist/types\ntsc --showConfig\ntsc -noEmit\n\
          tsc --skipLibCheck --noEmit --pretty false",
    );
    ask(
        "tsc -w\ntsc --watch\ntsc -W\ntsc -watch\ntsc --noEmit --WATCH\ntsc -b -w\ntsc --outDir ../x\ntsc --outdir /x\n\
         tsc --OUTFILE /x\ntsc --declarationDir ..\ntsc -p /x\ntsc -p ../x\ntsc --project ..\ntsc ../a.ts\ntsc @x\n\
         tsc --init\ntsc --build --clean\ntsc --plugins x\ntsc --nope\ntsc --outDir\ntsc --generateTrace ..\n\
         tsc --generateCpuProfile ../x\ntsc --tsBuildInfoFile /x\ntsc --rootDir ..\ntsc --typeRoots ..\ntsc --typeRoots a,../b\n\
         tsc --baseUrl /\ntsc --outDir=../x\ntsc --project @x\ntsc --locale x\ntsc --types ../x",
    );
}

#[test]
fn python_runs_files_and_checks() {
    pass(
        "python app.py\npython3 -u src/a.py --flag x\npython -m pytest\npython -m pytest -x -k 'a and b' tests/test_a.py::test_b\n\
          python3 -m pytest -vv --tb=short --maxfail=1\npython -m unittest\npython -m unittest -v tests.test_a\npython -B a.py\n\
          python -m unittest discover -s tests -p 'test_*.py'\npython -m py_compile src/a.py\npython -m compileall -q src\n\
          python --version\npython -V\npython -W ignore a.py\npython -Wignore a.py\npython -X dev a.py\npython3 -OO a.py -c x -m y\n\
          python -m pytest --cov=src --cov-report=term-missing\npython -um pytest\npython -mpytest -q\npython -I -m pytest tests\n\
          python -m pytest --junitxml=report.xml\npython a.py out=dist",
    );
    ask(
        "python\npython3\npython -\npython -c x\npython -cx\npython -uc x\npython -Wignore -c x\npython -W ignore -c x\npython -i a.py\n\
         python -ui a.py\npython -m http.server\npython -mhttp.server\npython -um http.server\npython -m pip install x\n\
         python -m venv .venv\npython -m site\npython -m pdb a.py\npython -m timeit x\npython -m zipfile -e a b\n\
         python /etc/x.py\npython ../a.py\npython /dev/stdin\npython < a.py\ncat a.py | python\npython a.py /etc/passwd\n\
         python a.py ../x\npython a.py --out=/etc/x\npython a.py .env\npython -X pycache_prefix=/etc a.py\npython -x a.py\n\
         python -m pytest -p evil\npython -m pytest -c x\npython -m pytest --rootdir ..\npython -m pytest ../tests\n\
         python -m pytest --pdb\npython -m pytest -o x=y\npython -m pytest --basetemp=x\npython -m pytest @x\n\
         python -m pytest --junitxml=/etc/x\npython -m pytest --pastebin=all\npython -m pytest --nope\npython -m pytest -f\n\
         python -m pytest --pyargs os\npython -m pytest --cov-report=html:../x\npython -m pytest --debug\n\
         python -m unittest discover -s ..\npython -m unittest -t / x\npython -m py_compile ../x\npython -m py_compile -\n\
         python -m compileall -d x src\npython --nope\npython3.11 a.py\npython -E -m code\npython -m\npython -m pytest --cov=../x\n\
         python -m unittest /etc/x.py\npython -m cProfile a.py\npython -Pc x\npython -Sm http.server\npython https://x/y.py\n\
         echo x | python -\npython -c 'x' a.py\npython -m pytest --confcutdir=..\npython -m json.tool a b",
    );
}

#[test]
fn pip_installs_names_of_the_registry() {
    pass(
        "pip install requests\npip install -U pip\npip install 'requests[socks]>=2,<3'\npip install -r requirements.txt\n\
          pip install -e .\npip install .\npip install -e '.[dev]'\npip3 install numpy pandas==2.2.0\npip install --upgrade x\n\
          pip install --no-cache-dir -q x\npip install -c constraints.txt x\npip install -e ./src\npip install --dry-run x\n\
          pip install -r requirements/dev.txt --no-deps\npip install 'x~=1.4.2'\npip install -v x",
    );
    ask(
        "pip install git+https://x/y\npip install https://x/y.whl\npip install http://x\npip install 'x @ https://y'\npip install x@https://y\n\
         pip install hg+https://x\npip install file:///x\npip install ../x\npip install /x\npip install x/y\npip install x.whl\n\
         pip install ./x.tar.gz\npip install -e git+https://x#egg=y\npip install -e ../x\npip install -e /x\npip install -r /x\n\
         pip install -r ../x\npip install -r https://x/y\npip install -i x y\npip install --index-url=x y\npip install --index x y\n\
         pip install --extra-index-url x y\npip install -f x y\npip install --find-links=x y\npip install --trusted-host x y\n\
         pip install -t x y\npip install -t/x y\npip install --target=x y\npip install --prefix=/usr x\npip install --root / x\n\
         pip install --user x\npip install --src / x\npip install --break-system-packages x\npip install --proxy x y\n\
         pip install --cert x y\npip install --config-settings=x y\npip install -C x y\npip install --global-option=x y\n\
         pip install --no-binary :all: x\npip install --python x y\npip install --log x y\npip install --cache-dir=/x y\n\
         pip install --report x y\npip install --no-build-isolation x\npip install -qi x y\npip download x\npip config set x y\n\
         pip uninstall x\npip install -c /x y\npip install --nope x\npip install -e evil.zip\npip wheel x\npip --proxy x install y",
    );
}

#[test]
fn cargo_and_go_work_on_the_project_as_it_is() {
    pass(
        "cargo build\ncargo build --release --features a,b\ncargo test -p core -- --nocapture\ncargo test name_filter\n\
          cargo test --workspace --all-features --no-fail-fast\ncargo run -- --port 8080\ncargo run --release --bin x -- a b\n\
          cargo check --all-targets --message-format=json\ncargo check --tests -q\ncargo build -j4 --locked\n\
          cargo build --target wasm32-unknown-unknown\ncargo build --target-dir target/x\ncargo test --manifest-path crates/x/Cargo.toml\n\
          cargo build --timings\ncargo test --test it -- --test-threads=1\ncargo run --example demo\ncargo build -pcore\n\
          go build\ngo build ./...\ngo build -v -o bin/x ./cmd/x\ngo test ./... -v\ngo test -race -count=1 ./...\ngo run .\n\
          go run main.go\ngo run ./cmd/x -flag y\ngo run main.go util.go arg\ngo test -run '^TestA$' -timeout 30s ./pkg\n\
          go build -ldflags='-s -w' .\ngo build -ldflags '-X main.version=1.2' ./...\ngo test -cover -coverprofile c.out ./...\n\
          go test -bench=. -benchmem ./...\ngo build -tags integration .\ngo test --short ./...\ngo build -gcflags='all=-N -l' .\n\
          go build -trimpath\ngo test -v -run TestA ./pkg -args x\ngo build -mod=vendor ./...",
    );
    ask(
        "cargo build --config x\ncargo build --config=x\ncargo build -Z x\ncargo build -Zunstable\ncargo build -C ..\ncargo build -C/tmp\n\
         cargo --config x build\ncargo +nightly build\ncargo build --manifest-path ../x/Cargo.toml\ncargo build --target-dir /x\n\
         cargo build --target ./x.json\ncargo build --target=x.json\ncargo build --target-dir=..\ncargo build --out-dir x\n\
         cargo build --artifact-dir=x\ncargo run --manifest-path=/x\ncargo run -- /etc/passwd\ncargo run -- ../x\ncargo run -- .env\n\
         cargo test -- --logfile=/etc/x\ncargo test -- --logfile ../x\ncargo build --nope\ncargo build -p file:///x\ncargo install x\n\
         cargo clippy\ncargo fmt\ncargo b\ncargo r\ncargo t\ncargo build --lockfile-path x\ncargo bench\ncargo add x\n\
         go build -o /x .\ngo build -o=../x .\ngo build -toolexec x .\ngo build -toolexec=x .\ngo build --toolexec x .\n\
         go test -exec x ./...\ngo test ./... -exec x\ngo test ./... --exec=x\ngo run -exec x .\ngo build -overlay x .\n\
         go build -modfile=x .\ngo build -C .. .\ngo build -ldflags=-extld=x .\ngo build -ldflags '-s -extldflags -x' .\n\
         go build -ldflags '-linkmode external' .\ngo build -gcflags=-d=x .\ngo build -asmflags x .\ngo build -compiler gccgo .\n\
         go run github.com/x/y@latest\ngo run x.com/y\ngo run ../x\ngo run /x\ngo run ../x.go\ngo build ../...\ngo test ../...\n\
         go test -fuzz=. ./...\ngo test -coverprofile=/x ./...\ngo test -cpuprofile ../x ./...\ngo test -outputdir / ./...\n\
         go test -trace=/x ./...\ngo test -vettool=x ./...\ngo vet\ngo get x\ngo generate\ngo install x\ngo env\ngo mod tidy\n\
         go build -pkgdir x .\ngo build x@latest\ngo test -test.cpuprofile=/x ./...\ngo build -nope .\ngo test -args /etc/x\n\
         go run . /etc/passwd\ngo build . -o /x\ngo test -test.testlogfile=/x\ngo build -pgo=../x .\ngo test -c -o ../x .\ncargo run -- -o../x\ncargo run -- -I/etc\npython a.py -o../x",
    );
}

#[test]
fn redirections_stay_inside() {
    pass(
        "ls > out.txt\nls 2>&1\nls > a 2> b\nls &> all.log\nls >> src/log\nls > /dev/null 2>&1\ncat < src/a.rs\nls 2>/dev/null",
    );
    ask(
        "ls > /x\nls > ../x\nls >> .bashrc\nls > .git/x\nls 2> /etc/x\nls &> ../x\ncat < /etc/passwd\ncat < .env\n\
         ls > .github/workflows/x.yml\nls > ~/x\nls > /dev/tcp/x/1\nls > 'https://x'\ncat < /dev/zero\nls >& ../x\nls 3> x\n\
         echo x > .mcp.json\necho x > CLAUDE.md\necho x > .npmrc",
    );
}
