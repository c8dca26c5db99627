// Each language: what is right has no problem, what is broken has one in the right line.

import { describe, expect, test } from 'vitest'
import { syntaxProblems } from '../../../../src/judge/syntax/syntax.ts'

interface Texts {
  readonly good: readonly string[]
  /** The line of the first problem, and the text. */
  readonly broken: readonly (readonly [line: number, text: string])[]
}

const texts: Readonly<Record<string, Texts>> = {
  'a.ts': {
    good: [
      'const routes = { home: "/" } satisfies Record<string, string>\nexport type * from "./types.ts"\nimport { type A, b } from "./b.ts"\nusing handle = open()\n',
      '@sealed\nexport class Store {\n  @observed() accessor count = 0\n  constructor(@inject(Clock) private readonly clock: Clock) {}\n  get<const T extends readonly unknown[]>(...of: T): T[number] { return of[0]! }\n}\n',
      'export interface Producer<in out A, out B = unknown> { readonly run: (a: A) => B }\ntype Keys<T> = { [K in keyof T as `get${Capitalize<K & string>}`]?: T[K] extends infer U extends string ? U : never }\nabstract class A { abstract b?: number; declare c: 1 }\nlet x = <T,>(a: T) => a\nconst y = import.meta.url as unknown as import("./c.ts").Url\n',
      'enum Level { Low = 1, High = Low << 1 }\nnamespace N { export const a = 1n }\nfunction is(a: unknown): asserts a is string { if (a == null) throw a }\nfor await (const each of stream()) yieldTo(each?.a ?? b!.c)\n',
    ],
    broken: [
      [1, 'const a = ;\n'],
      [2, 'export function f(a: number) {\n  return [a]\n\n'],
      [2, 'const a = 1\nconst b = "abc\nconst c = 2\n'],
      [2, 'f(1,\n  2\n'],
      [3, 'interface A {\n  b: string\n  c: }\n'],
      [1, 'const a = 1 const b = 2\n'],
      [2, 'const a = 1\nconst b = `abc\nd\n'],
    ],
  },
  'a.d.ts': {
    good: ['export default function (): { a: number };\ndeclare module "x" { global { interface Window { a: 1 } } }\n'],
    broken: [[1, 'export declare const a: ;\n']],
  },
  'a.tsx': {
    good: [
      'export const A = <T,>({ of }: { of: T[] }) => <ul style={{ color: "red" }}>{of.map((each) => <li key={String(each)}>{each as string}</li>)}</ul>\n',
      'const b = <><Input<string> value="a" {...rest} /> &amp; text</>\n',
      'export default function App() {\n  return condition && (\n    <A.B\n      c:d="e"\n    />\n  )\n}\n',
    ],
    broken: [
      [3, 'const a = (\n  <div>\n  </span>\n)\n'],
      [1, 'const a = <div>{b</div>\n'],
      [1, 'const a = <div className="b></div>\n'],
      [2, 'const a = <div style={{ color: 1 }>\n</div>\n'],
    ],
  },
  'a.js': {
    good: [
      '#!/usr/bin/env node\n"use strict"\nconst { a, ...rest } = require("a")\nif (rest) return\nmodule.exports = async () => { for await (const b of a) void b?.[0]?.() }\n',
      'class A { #b = 1; static { this.c = 2 } get d() { return #b in this } async *e() { yield* f() } }\nx ||= 1_000n ** 2n\n',
      'import data from "./a.json" with { type: "json" }\nexport * as b from "b"\nconst re = /(?<year>\\d{4})[/\\]]/dv\nlabel: for (;;) break label\n',
      'export const View = () => <p>a {"b"}</p>\n',
    ],
    broken: [
      [2, 'function f() {\n  if (a {\n  }\n}\n'],
      [3, 'const a = {\n  b: 1,\n  c: [1, 2}\n'],
      [2, 'f(() => {\n  g()\n\n'],
      [1, "const a = 'abc\n"],
      [2, 'const a = 1\nlet a = 2\n'],
    ],
  },
  'a.json': {
    good: ['{"a": [1, -2.5e+3, true, null], "b": {"c": "\\u00e9 \\" \\/"}}', '[]\n', '"text"', '\uFEFF{"a": 1}\r\n'],
    broken: [
      [2, '{\n  "a": 1,}\n'],
      [3, '{\n  "a": 1\n  "b": 2\n}\n'],
      [2, '{\n  "a": [1, 2\n'],
      [2, '{\n  "a": "b\n}\n'],
      [2, '{\n  // a\n  "a": 1 }\n'],
      [2, "{\n  'a': 1 }\n"],
      [1, ''],
      [2, '{}\n{}\n'],
      [1, '{"a": 01}'],
      [1, '{"a": "\t"}'],
    ],
  },
  'tsconfig.json': {
    good: ['// a\n{\n  /* b */ "c": [1, 2,], // d\n  "e": "// no comment",\n}\n', '{}', '\n'],
    broken: [
      [2, '{\n  "a" 1\n}\n'],
      [1, '{ "a": [1, 2 }'],
      [2, '{ "a": 1\n  "b": 2 }'],
      [1, '{ "a": 1, , }'],
      [2, '{ "a": 1,\n /* b }'],
      [1, '{ "a": 1'],
    ],
  },
  'a.yaml': {
    good: [
      "a: &b {c: [1, \"2\"], d: 'it''s'}\ne:\n  - *b\n  - |\n    text: [ no flow\n  - >-\n    folded\n? complex\n: value\n",
      '%YAML 1.2\n---\na: 1\n...\n---\n- b\n- - c\n  - d: !!str 5\n',
      'on:\n  push: { branches: [main] }\njobs:\n  a:\n    runs-on: ${{ matrix.os }}\n',
      '# only a comment\n',
      'a: 1\r\nb:\r\n  - c\r\n',
    ],
    broken: [
      [2, 'a: 1\nb: [1, 2\nc: 3\n'],
      [4, 'a: 1\nb:\n  c: 1\n d: 2\n'],
      [2, 'a: 1\nb: "x\n'],
      [2, 'a: 1\nb: {c: 1\n'],
      [1, 'a: b: c\n'],
      [2, '- a\nb: c\n'],
    ],
  },
  'a.toml': {
    good: [
      'title = "a"\n[owner]\nborn = 1979-05-27T07:32:00Z\n[[products]]\nname = \'b\'\nsizes = [ 1, 2, # three\n  3, ]\npoint = { x = 1, y.z = 0xff }\n',
      'a = """\nlong \\   \n  text"""\nb = \'\'\'\nraw \\\n\'\'\'\n"quoted key" = inf\nsite."a.b" = true\n',
      '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\nserde = { version = "1", features = ["derive"] }\n',
    ],
    broken: [
      [1, '[a\nb = 1\n'],
      [2, 'a = 1\nb = "x\nc = 2\n'],
      [2, 'a = 1\nb = [1, 2\n'],
      [2, 'a = 1\nb = \n'],
      [1, 'a = { b = 1\n'],
      [2, 'a = 1\nb c\n'],
    ],
  },
  'a.py': {
    good: [
      'match command.split():\n    case ["go", direction] if ok:\n        move(direction)\n    case {"x": int(x), **rest} | Point(x=0):\n        pass\n    case _:\n        ...\n',
      'async def f[T](a: int, /, *, b: str | None = None) -> list[T]:\n    async with g() as h, i():\n        return [x async for x in h if (n := len(x)) > 1]\n',
      'type Pair[A] = tuple[A, A]\nx = f"{a!r:>{width}} {b["c"]}"\ntry:\n    pass\nexcept* (A, B) as e:\n    raise X from e\n@decorate(1)[0]\nclass C(Base, metaclass=M): y: int = 1\n',
    ],
    broken: [
      [2, 'x = 1\ny = (1,\nz = 2\n'],
      [3, 'class A:\n    def f(self):\n        return [1, 2\n'],
      [1, 'print("abc)\n'],
      [2, 'x = 1\ny = """abc\n'],
      [1, 'def f(:\n    pass\n'],
      [2, 'x = 1\ny = {"a": 1\n'],
      [1, 'x = = 1\n'],
    ],
  },
  'a.go': {
    good: [
      'package a\n\ntype Number interface{ ~int | ~float64 }\n\nfunc Sum[T Number](of ...T) (sum T) {\n\tfor _, each := range of {\n\t\tsum += each\n\t}\n\treturn\n}\n\nvar s = Sum[int](1, 2)\n',
      'package main\n\nimport (\n\t"fmt"\n\t_ "embed"\n)\n\nfunc main() {\n\tdefer func() { recover() }()\n\tselect {\n\tcase v, ok := <-c:\n\t\tfmt.Println(v, ok, `raw`, \'\\n\', 0b1_0)\n\tdefault:\n\t}\n\tgo f()\n}\n',
      'package a\n\ntype T[K comparable, V any] struct {\n\tm map[K]V `json:"m"`\n\t*Embedded\n}\n\nfunc (t *T[K, V]) Do(f func(K) V) { for i := range 10 { _ = i } }\n',
    ],
    broken: [
      [6, 'package a\n\nfunc f() {\n\tif x {\n\t}\n'],
      [2, 'package a\nvar x = \n'],
      [2, 'package a\nfunc f() { g( }\n'],
      [2, 'package a\nvar s = "abc\n'],
      [2, 'package a\nvar m = map[string]int{"a": 1\n'],
      [3, 'package a\nfunc f() {\n\treturn )\n}\n'],
    ],
  },
  'a.rs': {
    good: [
      "fn f<'a, const N: usize>(x: &'a [u8; N]) -> Option<impl Iterator<Item = &'a u8>> {\n    let Some(first) = x.first() else { return None };\n    Some(x.iter().filter(move |y| *y != first))\n}\n",
      'pub async fn g() -> Result<(), Box<dyn Error>> {\n    let v = h().await?;\n    match v { 1..=5 | 7 => {} n if n > 9 => {}, _ => unreachable!("{v:?}") }\n    if let Some(x) = a && let Ok(y) = b { }\n    let r = r#"raw " text"#;\n    Ok(())\n}\n',
      "trait T { type Out<'a> where Self: 'a; async fn f(&self); }\nmacro_rules! m { ($($x:expr),* $(,)?) => { vec![$($x),*] }; }\n#[derive(Debug)] struct S<T>(pub(crate) T) where T: Clone;\nfn old() -> R { let v = try!(x()); let r#type = v; r#type }\n",
    ],
    broken: [
      [2, 'fn main() {\n    let x = 1\n    let y = 2;\n}\n'],
      [1, 'fn main() {\n'],
      [1, 'fn f( { }\n'],
      [2, 'fn f() {\n    let s = "abc;\n}\n'],
      [2, 'fn f() {\n    g(vec![1, 2);\n}\n'],
    ],
  },
  'A.java': {
    good: [
      'package a;\npublic record Point<T extends Number>(T x, @Valid T y) implements Shape {\n  Point { if (x == null) throw new IllegalArgumentException(); }\n  static int of(Object o) { return switch (o) { case Integer i when i > 0 -> i; case Point(var a, var b) -> 1; default -> { yield 0; } }; }\n}\n',
      'sealed interface Shape permits Circle, Square {}\nfinal class Circle implements Shape { String s = """\n    text "quoted"\n    """; var list = new ArrayList<>() {{ add(1); }}; }\n',
      'import static java.util.Map.*;\nenum E { A(1) { void f() {} }, B; E(int... a) {} }\n@interface I { int[] value() default {1, 2}; }\nclass G { <T> void f(List<? super T> a) { try (var r = o()) { a.forEach(G::g); } catch (A | B e) { } int i = o instanceof String s ? s.length() : 0; } }\n',
    ],
    broken: [
      [3, 'class A {\n  void f() {\n    int x = 1\n  }\n}\n'],
      [2, 'class A {\n  void f() { }\n'],
      [2, 'class A {\n  void f( { }\n}\n'],
      [2, 'class A {\n  String s = "abc;\n}\n'],
      [2, 'class A {\n  int[] a = {1, 2;\n}\n'],
    ],
  },
  'a.c': {
    good: [
      "#include <stdio.h>\n#define BEGIN {\n#define MAX(a, b) \\\n  ((a) > (b) ? (a) : (b))\nint main(void) { char c = '\"', d = '\\''; puts(\"a } \\\" b\"); return (struct p){ .x = 1 }.x; }\n",
      "#ifdef A\nint f(int a) {\n#else\nint f(long a) {\n#endif\n  return _Generic(a, int: 1, default: 2);\n}\n#if 0\nisn't ( compiled\n#endif\n",
      "/* a { */ // b (\nDEFINE_THING(a) WINAPI f(void) __attribute__((weak));\nextern int g PARAMS((int, char *));\n#error don't\n",
    ],
    broken: [
      [1, 'int main() {\n  return 0;\n'],
      [2, 'int f(void)\n{ g((1, 2); }\n'],
      [2, 'int a;\nchar *s = "abc;\n'],
      [3, 'int f() {\n}\n}\n'],
      [2, 'int a;\n/* abc\n'],
    ],
  },
  'a.h': {
    good: [
      '#ifndef A\n#define A\n#ifdef __cplusplus\nextern "C" {\n#endif\nstruct a { int new; };\n#ifdef __cplusplus\n}\n#endif\n#endif\n',
      '#pragma once\nnamespace a { template <typename T> class B final : public C<T> { public: B() : c{1} {} int c; }; }\n',
    ],
    broken: [[2, '#pragma once\nint f(int a;\n']],
  },
  'a.cpp': {
    good: [
      'template <typename T>\nconcept Number = requires(T a) { { a + a } -> std::same_as<T>; };\nauto f(Number auto... a) { return (a + ...); }\n',
      'const auto s = R"sql(\n  select ")" from {x\n)sql";\nint million = 1\'000\'000; auto c = u8\'x\'; auto l = L"wide";\n',
      'import std;\nstruct A { auto operator<=>(const A&) const = default; [[nodiscard]] int b{1}; };\nauto g = [&]<class T>(T&& t) mutable -> decltype(auto) { co_return co_await t; };\n',
    ],
    broken: [
      [2, 'int a;\nnamespace x {\nclass A { };\n'],
      [1, 'auto s = R"(abc";\n'],
      [2, 'void f() {\n  g([&] { h(); );\n}\n'],
      [1, 'auto s = "abc;\n'],
    ],
  },
  'a.rb': {
    good: [
      'case config\nin {name: String => name, tags: [first, *]} if name\n  puts name\nin [Integer | Float, ^x]\n  nil\nend\nconfig => {port:}\n',
      "class A < Struct.new(:b, keyword_init: true)\n  attr_reader :c\n  def d(e, *f, g: 1, **h, &i) = e&.then { _1 + f.sum }\n  def x? = !@y\nend\nputs <<~TEXT + %w[a b].join(' ')\n  text #{1 + 1} end\nTEXT\n",
      'module M\n  refine(String) { def a = self =~ /b#{c}/i }\nend\nbegin\n  raise E, "x" unless y\nrescue A, B => e then retry\nelse 1\nensure\n  z rescue nil\nend while false\nputs({a: 1, "b": 2, c:})\n__END__\n} not code (\n',
    ],
    broken: [
      [3, 'def f\n  if x\nend\n'],
      [1, 'foo(1, 2\n'],
      [2, 'a = 1\nx = [1,\n'],
      [1, 'puts "abc\n'],
      [4, 'class A\n  def f; end\nend\nend\n'],
      [1, 'x = {a: 1\nputs 1\n'],
    ],
  },
  'a.php': {
    good: [
      "<?php\ndeclare(strict_types=1);\nenum Suit: string implements I {\n  case Hearts = 'H';\n  const X = self::Hearts;\n  public static function f(): self { return match(true) { default => self::Hearts }; }\n}\n",
      '<?php\n#[Attribute(Attribute::TARGET_CLASS)]\nfinal readonly class A {\n  public function __construct(private ?int $a = null, protected int|string $b = 1) {}\n  public function f(self&B $x): static { return $this?->g(...$x, name: fn($y) => $y ?? throw new E); }\n}\n',
      '<html>\n<body <?= $attributes ?>>\n<?php if ($a): ?>\n  <p>it\'s <?= htmlspecialchars("$b[c] {$d->e}") ?></p>\n<?php else: ?>\n<?php endif ?>\n</body>\n',
      '<?php\n$sql = <<<SQL\n  select * from a where b = "$c"\n  SQL;\n[\'a\' => $x, $y] = f();\nabstract class T { use U { U::a as private b; } abstract public function g(): never; }\n',
    ],
    broken: [
      [3, '<?php\nfunction f() {\n  return 1\n}\n'],
      [2, '<?php\nif ($a {\n}\n'],
      [2, '<?php\nclass A {\n'],
      [2, '<?php\n$a = "abc;\n'],
      [3, '<?php\n$b = 1;\n$a = [1, 2;\n'],
    ],
  },
  'a.sh': {
    good: [
      '#!/bin/bash\ndeclare -A map=([a]=1 [b c]=2)\nlist=(one "two three" $(ls))\nlist+=("${map[@]}")\nfor ((i = 0; i < ${#list[@]}; i++)); do echo "${list[i]}"; done\n[[ $a =~ ^(b|c)$ && -f d ]] || exit 1\n',
      "for i do\n  case $i in\n    -h | --help) usage ;;\n    a*) ;;\n    *) break\n  esac\ndone\ncat <<-'END' | while read -r line; do echo \"$line\"; done\n\tit's ( text\n\tEND\n",
      'f() {\n  local x=${1:-"default"} y\n  y=$((x + 1)) && printf \'%s\\n\' "$(g "$(h)")" `i` >&2 2>/dev/null\n}\nif ! f; then :; elif true; then { a; }; else (b) & fi\ndiff <(sort a) <(sort b)\n',
    ],
    broken: [
      [2, 'if true; then\n  echo a\n'],
      [2, 'echo a\necho "abc\n'],
      [2, 'for i in a b; do\n  echo $i\n'],
      [2, 'f() {\n  echo a\n'],
      [2, 'case $x in\n  a) echo a ;;\n'],
      [2, 'echo a\necho $(ls\n'],
      [3, 'if a; then\n  b\ndone\n'],
    ],
  },
  'a.html': {
    good: [
      '<!doctype html>\n<html lang=en>\n<meta charset="utf-8"><link rel=stylesheet href=a.css>\n<body>\n<img src="a.png" alt><br><input disabled>\n<p>one<p>two & three, 1 < 2\n<ul><li>a<li>b</ul>\n<script>if (a < b && c) document.write("</p>")</script>\n</html>\n',
      '<my-element :a="b" @click="c" #d></my-element>\n<svg viewBox="0 0 1 1"><path d="M0 0"/></svg>\n<!-- <p -->\n<table><tr><td>1<td>2</table>\n',
      '<style>a > b { color: red }</style>\n<textarea><b></textarea>\n<a href=/x?y=1&z=2>&nbsp;&copy;</a>\n',
      '</div>\n</body>\n',
      '<!doctype html>\n<body>\n<div class="page">\n',
    ],
    broken: [
      [1, '<a href="x>y</a>\n'],
      [2, '<p>a</p>\n<div class=>b</div>\n'],
      [1, '<div\n<p>a</p>\n'],
      [3, '<!doctype html>\n<p>a</p>\n</div>\n'],
      [1, '<!-- abc\n<p>\n'],
    ],
  },
  'a.css': {
    good: [
      '.card {\n  color: rgb(0 0 0 / 50%);\n  &:hover { color: red }\n  > .title { & + & { margin: 0 } }\n  @media (width >= 600px) { padding: calc(1px + (2 * 3px)); }\n}\n',
      '@import url(https://a.b/c?d=e);\n@layer base, theme;\n:root { --a: {b}; --c: "}"; }\na[href^="x"]::before { content: "\\"{"; background: url( data:image/png;base64,aa== ) }\n',
      "@container card (min-width: 400px) { .a:is(.b, :not(.c)) { inset: 0; } }\n/* } it's */\n.w-1\\/2\\:a\\( { *zoom: 1; filter: progid:DXImageTransform.Microsoft.gradient(startColorstr='#80000000'); }\n",
      '@charset "utf-8";\n@property --a { syntax: "<length>"; inherits: false; initial-value: 0px }\n@scope (.a) to (.b) { :scope { color: light-dark(#000, #fff) } }\n@starting-style { a { opacity: 0 } }\n@font-face{font-family:a;src:url(a.woff2)format("woff2"),url(b)}',
      '@tailwind base;\n@theme { --a-*: initial; }\n@utility a { @apply b c:d; }\n@keyframes a { 0%, 50.5% { top: 0 } to { top: 1px !important } }\na{;;b:c;_height:1px;}\n::slotted(a, b) > * { c: d }\n<!-- a { } -->\n',
    ],
    broken: [
      [2, 'a { color: red }\nb { color: blue;\n'],
      [2, 'a { }\n}\n'],
      [2, 'a {\n  content: "x\n}\n'],
      [2, 'a { }\n/* abc\n'],
      [1, 'a { width: calc(1px + (2px); }\n'],
      [3, 'a {\n  color: red\n  margin: 0;\n}\n'],
      [2, 'a {\n  color red;\n}\n'],
      [1, 'a, { color: red }\n'],
      [1, 'a..b { color: red }\n'],
      [1, '{ color: red }\n'],
      [2, 'a { }\ncolor: red;\n'],
      [1, 'a { color: red; background }\n'],
      [2, '.a { & .b { c: d }\n  &:hover { e = f; } }\n'],
    ],
  },
}

describe.each(Object.entries(texts))('%s', (path, { good, broken }) => {
  test.each(good)('is right: %j', async (text) => {
    expect(await syntaxProblems(path, text)).toEqual([])
  })

  test.each(broken)('is broken in line %i: %j', async (line, text) => {
    const problems = await syntaxProblems(path, text)
    expect(problems[0]?.line, JSON.stringify(problems)).toBe(line)
    expect(problems.length).toBeLessThanOrEqual(5)
    for (const { line, column, message } of problems) {
      expect(line).toBeLessThanOrEqual(text.split('\n').length)
      expect(column).toBeGreaterThan(0)
      expect(message).toMatch(/^\S.*\S$/)
    }
  })
})
