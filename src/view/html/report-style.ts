// The look of a report: dark and light by the reader's preference, and for paper.

export const reportStyle = `
:root{color-scheme:light dark;--text:#1f2328;--dim:#59636e;--back:#fff;--soft:#f6f8fa;--line:#d1d9e0;--link:#0969da;
--good:#1a7f37;--bad:#cf222e;--warn:#9a6700;--go:#0969da;--good-back:#dafbe1;--bad-back:#ffebe9;--hunk-back:#ddf4ff}
@media(prefers-color-scheme:dark){:root{--text:#e6edf3;--dim:#9198a1;--back:#0d1117;--soft:#151b23;--line:#3d444d;--link:#4493f8;
--good:#3fb950;--bad:#f85149;--warn:#d29922;--go:#4493f8;--good-back:#12361f;--bad-back:#4a1b1d;--hunk-back:#121d2f}}
*{box-sizing:border-box}
body{margin:0 auto;padding:2rem 1.25rem 4rem;max-width:66rem;background:var(--back);color:var(--text);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;overflow-wrap:anywhere}
h1{font-size:1.8rem;line-height:1.2;margin:0 0 .25rem}h2{font-size:1.3rem;margin:2.5rem 0 .75rem;border-bottom:1px solid var(--line)}
h3{font-size:1.05rem;margin:0}a{color:var(--link)}
code,pre{font:13px/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.lead{color:var(--dim);margin:0 0 1rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:0}dt{color:var(--dim)}dd{margin:0}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .6rem .35rem 0;border-bottom:1px solid var(--line)}th{color:var(--dim);font-weight:600}
.scroll{overflow:auto;max-height:75vh}
.step{border:1px solid var(--line);border-radius:8px;margin:0 0 1rem;padding:.75rem 1rem}
.step>header{display:flex;flex-wrap:wrap;gap:.25rem .75rem;align-items:baseline}
.step .facts{color:var(--dim);font-size:.9rem;margin:.15rem 0}
.tag{border:1px solid currentColor;border-radius:1em;padding:0 .6em;font-size:.8rem;color:var(--dim);white-space:nowrap}
.done,.held,.completed,.merged,.approved,.LOW{color:var(--good)}
.failed,.timeout,.conflict,.rejected,.cancelled,.HIGH,.CRITICAL{color:var(--bad)}
.running,.active{color:var(--go)}.waiting,.MEDIUM,.unproven{color:var(--warn)}
.error{color:var(--bad);margin:.25rem 0}
pre{margin:0;padding:.6rem .75rem;overflow:auto;background:var(--soft);border-radius:6px;tab-size:4}
pre.prose{white-space:pre-wrap;font-family:inherit;font-size:1rem}
details.file{margin:.6rem 0 0}summary{cursor:pointer;padding:.2rem 0}
.diff span{display:inline-block;min-width:100%}
.diff .added{background:var(--good-back)}.diff .removed{background:var(--bad-back)}.diff .hunk{background:var(--hunk-back);color:var(--dim)}
summary .added{color:var(--good)}summary .removed{color:var(--bad)}
.graph{display:block;max-width:none}.graph a{text-decoration:none}
.graph rect{fill:var(--soft);stroke:var(--line)}.graph .done rect{stroke:var(--good)}.graph .waiting rect{stroke:var(--warn)}
.graph .failed rect,.graph .timeout rect,.graph .conflict rect{stroke:var(--bad);stroke-width:2}.graph .running rect{stroke:var(--go);stroke-width:2}
.graph text{font:600 13px ui-monospace,monospace;fill:var(--text)}.graph .note{font-weight:400;font-size:11px;fill:var(--dim)}
.graph .sign{fill:currentColor}.graph .edge{fill:none;stroke:var(--line);stroke-width:1.5}.graph .critical{stroke:var(--text);stroke-width:2.5}
footer{margin-top:3rem;color:var(--dim);font-size:.85rem}
@media print{:root{--text:#000;--dim:#444;--back:#fff;--soft:#f6f8fa;--line:#bbb;--link:#000;--good:#116329;--bad:#a40e26;--warn:#7d4e00;
--go:#0550ae;--good-back:#e6ffec;--bad-back:#ffebe9;--hunk-back:#eef}
body{max-width:none;padding:0;font-size:11pt}.scroll{max-height:none;overflow:visible}.graph{max-width:100%;height:auto}
pre{white-space:pre-wrap;overflow:visible}h2,h3,.step>header{break-after:avoid}tr,.node{break-inside:avoid}
details::details-content{content-visibility:visible;display:block;block-size:auto}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
`
