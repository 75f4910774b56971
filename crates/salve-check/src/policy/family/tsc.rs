//! tsc: one compilation, of a project in the workspace.
//!
//! In: its words. Out: nothing, or an objection. Never lets it watch, read arguments from a file, or
//! write elsewhere. Its flags are read in any case and with one dash or two.

use crate::policy::context::{Context, Judged};
use crate::policy::objection::{Objection, Rule};
use crate::policy::options::Hazard::{Configures, Deletes, NeverEnds, Writes};
use crate::policy::options::Meaning::{Ask, Own, Read, Switch, Text, Write};
use crate::policy::options::Table;

static TSC: Table = Table::new(&[
    (
        Switch,
        "all allowarbitraryextensions allowimportingtsextensions allowjs allowsyntheticdefaultimports \
         allowumdglobalaccess allowunreachablecode allowunusedlabels alwaysstrict \
         assumechangesonlyaffectdirectdependencies b build checkjs composite d declaration \
         declarationmap diagnostics disablereferencedprojectload disablesizelimit \
         disablesolutionsearching disablesourceofprojectreferenceredirect downleveliteration dry \
         emitbom emitdeclarationonly emitdecoratormetadata erasablesyntaxonly esmoduleinterop \
         exactoptionalpropertytypes experimentaldecorators explainfiles extendeddiagnostics f force \
         forceconsistentcasinginfilenames h help importhelpers i incremental inlinesourcemap \
         inlinesources isolateddeclarations isolatedmodules jsxfactory keyofstringsonly listemittedfiles \
         listfiles listfilesonly libreplacement nocheck noemit noemithelpers noemitonerror \
         noerrortruncation nofallthroughcasesinswitch noimplicitany noimplicitoverride \
         noimplicitreturns noimplicitthis noimplicitusestrict nolib \
         nopropertyaccessfromindexsignature noresolve nostrictgenericchecks nouncheckedindexedaccess \
         nouncheckedsideeffectimports nounusedlocals nounusedparameters preserveconstenums \
         preservesymlinks preservevalueimports preservewatchoutput pretty removecomments \
         resolvejsonmodule resolvepackagejsonexports resolvepackagejsonimports \
         rewriterelativeimportextensions showconfig skipdefaultlibcheck skiplibcheck sourcemap \
         stopbuildonerrors strict strictbindcallapply strictbuiltiniteratorreturn \
         strictfunctiontypes strictnullchecks strictpropertyinitialization stripinternal \
         suppressexcesspropertyerrors suppressimplicitanyindexerrors traceresolution \
         useunknownincatchvariables usedefineforclassfields v verbatimmodulesyntax verbose version",
    ),
    (
        Text,
        "charset customconditions ignoredeprecations importsnotusedasvalues jsx jsxfragmentfactory \
         jsximportsource lib m maxnodemodulejsdepth module moduledetection moduleresolution \
         modulesuffixes newline reactnamespace t target types",
    ),
    (Read, "p project rootdir baseurl"),
    (Own, "rootdirs typeroots"),
    (Write, "outdir outfile declarationdir tsbuildinfofile generatetrace generatecpuprofile out"),
    (Ask(NeverEnds), "w watch watchfile watchdirectory fallbackpolling synchronouswatchdirectory"),
    (Ask(NeverEnds), "excludedirectories excludefiles"),
    (Ask(Deletes), "clean"),
    (Ask(Writes), "init"),
    (Ask(Configures), "plugins locale maproot sourceroot paths"),
]);

pub(super) fn tsc(context: &Context<'_>) -> Judged {
    let mut words = context.words.iter().map(String::as_str).enumerate().skip(context.named);
    while let Some((at, word)) = words.next() {
        if word.starts_with('@') {
            let why = format!("`{}` hides arguments in a file", word.escape_debug());
            return Err(Objection::never(Rule::Argument, why));
        }
        let Some(flag) = word.strip_prefix('-') else {
            // After a switch this may be its value.
            if !matches!(word, "true" | "false" | "null" | "undefined") {
                context.read(word)?;
            }
            continue;
        };
        let flag = flag.strip_prefix('-').unwrap_or(flag).to_ascii_lowercase();
        let Some((_, meaning)) = TSC.find(&flag) else {
            let why = format!("`{}` is not in the table of `tsc`", word.escape_debug());
            context.unless_listed(Rule::UnknownFlag, at + 1, why)?;
            continue;
        };
        match meaning {
            Ask(hazard) => context.hazard(word, hazard, at)?,
            Text | Read | Write | Own => {
                let value = words.next().map_or("", |(_, value)| value);
                match meaning {
                    // What looks like a flag is taken as the next flag, not as the value.
                    _ if value.is_empty() || value.starts_with(['-', '@']) => {
                        let why = format!("`{word}` lacks its value");
                        return Err(Objection::never(Rule::Argument, why));
                    }
                    Write => context.write(value)?,
                    Read => context.read(value)?,
                    Own => value.split(',').try_for_each(|path| context.read(path))?,
                    _ => context.foreign_word(value)?,
                }
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
pub(super) const TABLES: &[&Table] = &[&TSC];
