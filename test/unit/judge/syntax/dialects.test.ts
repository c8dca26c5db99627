// What is written in files of these names and is not what the standard says: languages that look alike, compilers' own
// words, what a tool reads before others do.

import { describe, expect, test } from 'vitest'
import { syntaxProblems } from '../../../../src/judge/syntax/syntax.ts'

const body = (statements: string): string => `void f(int a) {\n${statements}\n}\n`

const silent: readonly (readonly [path: string, what: string, texts: readonly string[]])[] = [
  [
    'a.h',
    'Objective-C',
    [
      '#import <Foundation/Foundation.h>\nstatic NSString * const kName = @"x";\n',
      'static NSString * const kName = @"x";\n',
      'static inline id f(void) { return @[@1, @2]; }\n',
      'static inline id f(void) { return @{@"a": @(1)}; }\n',
      'static inline SEL f(void) { return @selector(a:b:); }\n',
      'static inline void f(void) { @autoreleasepool { g(); } }\n',
      '#ifndef __OBJC__\ntypedef struct A A;\n#else\n@class A;\n#endif\nstatic id a = @1;\n',
      'typedef void (^Handler)(NSString *name, NSError * _Nullable error);\nNS_ASSUME_NONNULL_BEGIN\ntypedef NS_ENUM(NSInteger, Kind) { KindA, KindB };\n',
    ],
  ],
  ['a.h', 'what a script fills in', ['static const int a = @A_B@;\n']],
  [
    'a.h',
    'CUDA',
    [
      '__global__ void k(float *a);\nvoid f() { k<<<1, 2, 0, s>>>(a); }\n',
      '__device__ float f() { extern __shared__ float s[]; return s[0]; }\n',
    ],
  ],
  [
    'a.h',
    'linkage in branches',
    [
      '#ifdef __cplusplus\nextern "C" {\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif\n',
      '#if defined(__cplusplus)\nextern "C"\n{\n#endif\nint f(void);\n#if defined(__cplusplus)\n} // extern "C"\n#endif\n',
    ],
  ],
  [
    'a.h',
    'parts for an assembler',
    [
      '#ifdef __ASSEMBLER__\n.macro a\n  mov r0, #1 ; b @ it is\n  .if (1\n.endm\n#else\nint f(void);\n#endif\n',
      '#if defined(__ASSEMBLY__)\n a @ b\n#endif\nint c;\n',
      '#ifdef LOCORE\n a @ b\n#endif\nint c;\n',
    ],
  ],
  ['a.h', 'Doxygen', ['/**\n * @file a.h\n * @{\n * it isn\'t "b\n */\nint f(int a); ///< @return x\n/** @} */\n']],
  [
    'a.h',
    'Qt',
    [
      'class A : public QObject\n{\n    Q_OBJECT\n    Q_PROPERTY(QString a READ a NOTIFY b FINAL)\npublic:\n    Q_INVOKABLE int f() const;\nsignals:\n    void b();\npublic Q_SLOTS:\n    void c();\nprivate slots:\n    void d();\n};\nQ_DECLARE_METATYPE(A *)\n',
    ],
  ],
  [
    'a.c',
    'blocks of Clang',
    [
      body('  handler h = ^(int x) { return x; };'),
      body('  return ^{ g(); };'),
      body('  ^{ g(); }();'),
      'handler h = ^int(int a) { return a; };\n',
    ],
  ],
  [
    'a.c',
    'OpenCL',
    [
      '__kernel void k(__global const float *a, __local int *b) { float4 v = (float4)(1.0f, 2.0f, 3.0f, 4.0f); }\n',
      'constant float pi = 3.14f;\nkernel void k(global float* a, read_only image2d_t b) { local float c[4]; a[0] = c[0]; }\n',
    ],
  ],
  [
    'a.c',
    'compilers for small machines',
    [
      'void f(void) interrupt 1 using 2 { }\n',
      'volatile unsigned char PORTA @ 0x05;\nunsigned char a[10] @ 0x20;\n',
      'void f(void) @ ".text2" { }\n__root const int a @ "b" = 1;\n',
      'sbit LED = P1^0;\nunsigned char xdata a[10];\nunsigned char volatile xdata b _at_ 0xE000;\n__sfr __at (0x80) P0;\n',
    ],
  ],
  [
    'a.c',
    'the old way and that of GNU',
    [
      'int main(argc, argv)\nint argc;\nchar **argv;\n{\n  register i;\n  return i;\n}\nstatic char *g(s) register char *s; { return s; }\n',
      body(
        '  int y = ({ int z = a; z + 1; });\n  __typeof__(a) w = a ?: 1;\n  void *p = &&label;\n  goto *p;\nlabel:\n  switch (a) { case 1 ... 5: break; }\n  int b[] = { [0 ... 3] = 1 };\n  struct s q = { a: 1 };\n  asm goto("jmp %l0" :::: label);',
      ),
      'int v asm("name");\nstruct __attribute__((packed)) a { int b:3; int d[0]; };\nvoid h(void) __asm__("_h") __attribute__((noreturn));\n',
    ],
  ],
  [
    'a.cpp',
    'what is new',
    [
      'constexpr auto r = ^^int;\nbool c = type_of(m) == ^^float;\n',
      'template <typename T> void f() { constexpr auto s = ^^T; using U = [:s:]; g(^^std::vector, ^^::); }\n',
      'auto f(this auto&& self, int a) -> int;\n',
      'struct A { auto f(this auto&& self, int a) -> int; void g(this const A& self); };\n',
      'auto l = [](this auto self, int n) -> int { return n < 2 ? n : self(n - 1); };\n',
      'auto a = [] static { return 1; };\nauto b = [](int c) static { return c; };\nauto d = [&] constexpr { };\n',
      'module;\n#include <x>\nexport module a.b:part;\nimport std;\nimport <vector>;\nexport import :other;\nexport { int a; }\nmodule :private;\n',
      'task<int> f() { auto x = co_await h(1) + 2; for co_await (auto y : z()) {} co_yield x; co_return co_await k(); }\n',
      'template <typename T> concept C = requires(T a) { { a.f() } -> std::same_as<int>; typename T::x; requires sizeof(T) > 1; };\ntemplate <C T> requires (sizeof(T) > 1) void f(T) requires F<T>;\n',
      'int f(int x) pre(x > 0) post(r: r > 0);\nvoid g() = delete("no");\nauto i = args...[0];\nvoid h() { if !consteval { } }\n',
    ],
  ],
  [
    'a.cpp',
    'C++/CLI',
    ['void f(String^ a, int% b) { String^ s = gcnew String("a"); for each (int i in u) { g(i); } }\n'],
  ],
  [
    'a.css',
    'PostCSS and Sass',
    [
      '$blue: #056ef0;\na { color: $blue; margin: -$blue; }\n',
      "// section, isn't it (\na { color: red; // don't\n}\n",
      '////////////\n// Title: x\n////////////\na { color: red }\n',
      '@define-mixin icon $a, $b: blue { .icon.is-$(a) { color: $b; @mixin-content; } }\na { @mixin icon twitter; @include b(1); @extend %c; }\n%c { d: e }\n',
      '.icon-#{a} { width: #{b}px; #{c}-top: 1px; }\n',
      '@each $i in a, b { .x-$i { c: d } }\n',
      '@custom-media --a (max-width: 30em);\n@custom-selector :--b h1, h2;\na { @nest & > b { c: d } &-suffix { e: f } &__elem { } }\n',
    ],
  ],
  [
    'a.css',
    'Less',
    [
      '@a: #fff;\n.m(@b; @c: 2) when (iscolor(@b)) { d: e }\na { .m(1; 2); color: @a; &:extend(.b all); }\n',
      '.@{name}-x { a: b }\n',
    ],
  ],
  [
    'a.css',
    'Tailwind',
    [
      '@import "tailwindcss" prefix(tw);\n@source "../**/*.{html,js}";\n@theme inline { --color-*: initial; --a: b; }\n@custom-variant dark (&:where(.dark, .dark *));\n@utility tab-* { tab-size: --value(integer, [integer]); }\na { @apply font-bold hover:bg-blue-700 !important; margin: --spacing(4); width: theme(spacing.4); }\n',
    ],
  ],
  [
    'a.css',
    'Vue and modules',
    [
      '.a :deep(.b) { c: d }\n.a >>> .b { c: d }\n.a /deep/ .b { c: d }\n::v-deep .b { color: v-bind("a.b") }\n',
      '@value a, b from "./c.css";\n.a { composes: b c from "./x.css"; }\n:global .x { a: b }\n:global { .z { a: b } }\n:local(.y) { a: b }\n:export { a: b }\n',
    ],
  ],
  [
    'a.css',
    'hacks',
    [
      'a { *zoom: 1; _height: 1px; color: red\\9; color: blue\\0/; filter: alpha(opacity=50); [;color: red;] }\n* html a { b: c }\n*+html a { b: c }\n@media \\0screen { a { b: c } }\n',
    ],
  ],
  [
    'a.css',
    'the rest',
    [
      '---\ntitle: it\'s\n---\n@import "x";\na { b: c }\n',
      "<?php header('x'); ?>\na { b: <?= $x ?>; }\n",
      'A::tab:!selected { a: b }\n',
      'col.a || td { b: c }\n',
    ],
  ],
]

describe.each(silent)('nothing is said of %s: %s', (path, _, texts) => {
  test.each(texts)('%j', async (text) => {
    expect(await syntaxProblems(path, text)).toEqual([])
  })
})

test.each([
  ['a.css', '$a: 1;\nb { color: $a;\n', 2],
  ['a.css', '/*\n// a\n*/\nb { color red; background: url(//c.d/e) }\n', 4],
  ['a.css', 'a[b$="c"] { d: url(http://e/f) }\ng { "h" }\n', 2],
])('a mistake is still found in %s: %j', async (path, text, line) => {
  expect((await syntaxProblems(path, text))[0]?.line).toBe(line)
})
