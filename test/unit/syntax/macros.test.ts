// C and C++ are parsed, but what a macro may be the cause of is no problem.

import { describe, expect, test } from 'vitest'
import { syntaxProblems } from '../../../src/syntax/syntax.ts'

const messages = async (path: string, text: string): Promise<string[]> =>
  (await syntaxProblems(path, text)).map(({ line, column, message }) => `${line}:${column} ${message}`)
const inBody = (statements: string): string => `void f(int a, int b)\n{\n${statements}\n}\n`

describe('nothing is said of', () => {
  test.each([
    ['a macro without a semicolon', 'DEFINE_TEST(a)\nint b;\nMODULE_LICENSE("GPL")\nstatic int c;\n'],
    ['one that has its own semicolon', 'int f(int a) {\n  CHECK(a)\n  return a;\n}\n'],
    ['some that are written like functions', inBody('  check(a, "text")\n  check(b, "text")\n  a = b;')],
    ['a loop that is one', inBody('  list_for_each(a, b)\n    g(a);\n  FOREACH(a, b) { g(a); }')],
    ['a qualifier', 'static av_cold int f(char *pg_restrict a, FAR int *b);\nextern API_CALL foo_t WINAPI g(void) NOTHROW;\n'],
    ['an attribute', 'struct PACKED a { int b ALIGNED(8); } __packed;\nint c = 1, d unused;\nstatic printf_like(3, 4) void d(char *e);\n'],
    [
      'arguments that are no expressions',
      inBody('  g_assert(a, ==, b);\n  cast(int *, a)->b = va_arg(c, char *);\n  each(map, a, free(a); free(b));\n  QUOTE(a b, , c);'),
    ],
    ['strings with macros between them', inBody('  g("%" PRIu64 "\\n" NAME\n    SUFFIX, a);')],
    ['a body that is one', '#define BEGIN {\n#define END }\nint f(void) BEGIN return 1; END\nint g(void)\nBODY\nint h(void) { return 1; }\n'],
    [
      'branches that share what follows',
      inBody('  if (a)\n#ifdef B\n    g(\n#else\n    h(\n#endif\n      b);\n#if C\n  else\n#endif\n  b = 1;\n  a =\n#if 0\n    2\n#endif\n    ;'),
    ],
    ['parameters in the old way', 'int f(a, b)\n  int a;\n  char *b;\n{\n  return a;\n}\n'],
    ['assembly', inBody('  asm volatile ("a" : "=r" (a) : : "b");\n  __asm { mov a, b }')],
    ['lists to be included elsewhere', 'X(a, 1)\nX(b, 2)\n'],
    ['values to be included elsewhere', '{ 1, 2 },\n{ 3, 4 }\n'],
  ])('%s', async (_, text) => {
    expect(await messages('a.c', text)).toEqual([])
  })

  test.each([
    [
      'Qt',
      'class A : public QObject {\n  Q_OBJECT\n  Q_PROPERTY(int a READ a NOTIFY b)\npublic slots:\n  void c();\nsignals:\n  void b();\n};\nvoid A::c() { emit b(); }\n',
    ],
    ['tests', 'TEST(A, B) {\n  EXPECT_EQ(1, 2) << "a";\n  ASSERT_THAT(a, b());\n}\nTEST_CASE("a", "[b]") {\n  SECTION("c") { REQUIRE(a == b); }\n}\n'],
    [
      'namespaces that are macros',
      'A_BEGIN_NAMESPACE\nnamespace detail {\ntemplate <typename T, A_ENABLE_IF(B<T>::value)>\nA_INLINE A_CONSTEXPR auto f(T a) A_NOEXCEPT -> T { return a; }\n}\nA_END_NAMESPACE\n',
    ],
    ['what the grammar does not know', 'struct A { operator const char*() const&& = delete; };\nauto p = new volatile int[3];\n'],
  ])('C++: %s', async (_, text) => {
    expect(await messages('a.cpp', text)).toEqual([])
  })

  test('Objective-C', async () => {
    expect(await messages('a.h', '@interface A : NSObject\n- (void)b:(int)c;\n@end\n')).toEqual([])
  })
})

describe('a mistake beside macros is found, and said where it is', () => {
  test.each([
    ['DEFINE(a)\nSTATIC int f(void) {\n  FOREACH(b, c)\n    g(b);\n  int d = ;\n}\n', '5:11 unexpected `;`'],
    ['DEFINE(a)\nint f(void) {\n  int d = NUMBER\n  return d;\n}\n', '3:17 `;` is missing'],
    ['DEFINE(a)\nint f(int c) {\n  c = LIMIT(1)\n  if (c) return 1;\n}\n', '3:15 `;` is missing'],
    ['DEFINE(a)\nint f(void) {\n  run(1)\n  return 0;\n}\n', '3:9 `;` is missing'],
    ['DEFINE(a)\nint f(int c) {\n  c += 1;\n  g(c, 1 c);\n}\n', '4:10 unexpected `c`'],
    ['DEFINE(a)\nint f(int c) {\n  while c { }\n}\n', '3:9 unexpected `c`'],
  ])('%j', async (text, message) => {
    expect(await messages('a.c', text)).toEqual([message])
    expect(await messages('a.cpp', text)).toEqual([message])
  })

  test('at most five of them', async () => {
    expect(await messages('a.c', 'int a = ;\n'.repeat(50))).toHaveLength(5)
  })
})
